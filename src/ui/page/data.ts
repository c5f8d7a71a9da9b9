import type { runJson } from "../../format/inspect-json.ts";
import type { ApiReads } from "../api.ts";

// What the API answers, by the names that the page has for it.

export type StatusData = ApiReads["/status"];
export type NeedData = ApiReads["/needs"][number];
export type RunData = ApiReads["/runs"][number];
export type InspectedRunData = ReturnType<typeof runJson>;
export type IterationData = InspectedRunData["iterations"][number];

export interface GateData {
  readonly gate: string;
  readonly runs: number;
  readonly failed: number;
  readonly flaky: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}
