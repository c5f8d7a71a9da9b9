import { workspaceStatus } from "../../app/status.ts";
import { createRedactor, mapStrings } from "../../domain/redact.ts";
import type { Input } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";
import { workspaceStatusJson } from "../format/workspace-status-json.ts";
import { workspaceStatusText } from "../format/workspace-status.ts";

/** Prints runs, tasks and the next steps. */
export async function run(input: Input, io: Io): Promise<void> {
  const status = await workspaceStatus(scopeChoice(input), caller(input, io));
  const redact = createRedactor(io.env);
  if (isJson(input)) printJson(io, mapStrings(workspaceStatusJson(status), redact));
  else io.out(redact(workspaceStatusText(status)));
}
