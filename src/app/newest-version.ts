import { programAnswer } from "../system/process/program-answer.ts";
import type { Surroundings } from "./workspace.ts";

const TIMEOUT_MS = 20_000;

/** The newest version that npm finds, from the registry that it is set to; undefined if it finds none. */
export async function newestVersion({ cwd, env }: Pick<Surroundings, "cwd" | "env">): Promise<string | undefined> {
  const args = ["view", "ralphctl", "version", "--json"];
  const answer = await programAnswer({ file: "npm", args, cwd, env, timeoutMs: TIMEOUT_MS });
  const version: unknown = /^"(\d[\w.+-]*)"\s*$/.exec(answer?.output ?? "")?.[1];
  return typeof version === "string" ? version : undefined;
}
