import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scripted } from "../src/harness/scripted.ts";
import { session, settings } from "../src/harness/harness.contract.ts";
import type { AgentSession } from "../src/system/process/agent-process.ts";
import { startSession, type TestSession } from "./agent-session.ts";
import { PROGRAM } from "./built-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Plays a script by the built program, as the loop would. */
export function startScripted(
  script: string,
  about: { readonly prompt?: string; readonly env?: Readonly<Record<string, string>> } & Partial<AgentSession> = {},
): TestSession {
  const { prompt = "Do it.", env = {}, ...own } = about;
  const path = join(temporaryFolder(), "script.yaml");
  writeFileSync(path, script);
  const asked = {
    ...session,
    prompt,
    settings: { ...settings, script: path, env },
    self: [process.execPath, PROGRAM] as const,
  };
  const command = scripted.start(asked);
  return startSession("", { command, reader: scripted.reader(asked), stopOrder: scripted.facts.stopOrder, ...own });
}
