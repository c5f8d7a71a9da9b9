import { chmodSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { shellWord } from "../../src/domain/shell-word.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";

/** How an agent speaks: lines of Claude Code, or plain text through the harness `command`. */
export type Voice = "claude" | "command";

export interface HostileAgent {
  /** Where it keeps what it needs from session to session. */
  readonly folder: string;
  readonly program: string;
  /** A PATH on which it is the first `claude`. */
  readonly path: string;
}

/** A program that behaves in its n-th session as the n-th name says (`agent.mjs` has them); the last one repeats. */
export function hostileAgent(sessions: readonly string[]): HostileAgent {
  const folder = temporaryFolder();
  const program = join(folder, "claude");
  const agent = [process.execPath, resolve("test/torture/agent.mjs")].map(shellWord).join(" ");
  const env = `TORTURE_SESSIONS="${sessions.join(" ")}" TORTURE_FOLDER=${shellWord(folder)}`;
  write(folder, { claude: `#!/bin/sh\n${env} exec ${agent} "$@"\n` });
  chmodSync(program, 0o755);
  return { folder, program, path: `${folder}${delimiter}${process.env["PATH"]}` };
}
