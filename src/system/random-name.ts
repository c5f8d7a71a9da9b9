import { randomBytes, randomUUID } from "node:crypto";

export const randomUuid = (): string => randomUUID();

/** The name of a run: in the order of time, and never the same twice. `r-20261116-014755-3f2a`. */
export function newRunName(nowMs: number): string {
  const [date = "", time = ""] = new Date(nowMs).toISOString().split(/[T.]/);
  return `r-${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomBytes(2).toString("hex")}`;
}
