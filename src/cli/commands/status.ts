import { workspaceStatus } from "../../app/status.ts";
import { RalphError } from "../../domain/error.ts";
import { createRedactor, mapStrings } from "../../domain/redact.ts";
import type { Input } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";
import { workspaceStatusJson } from "../../format/workspace-status-json.ts";
import { workspaceStatusText } from "../../format/workspace-status.ts";

/** Prints runs, tasks and the next steps. */
export async function run(input: Input, io: Io): Promise<void> {
  const read = async () => await workspaceStatus(scopeChoice(input), caller(input, io));
  const redact = createRedactor(io.env);
  if (input.options["watch"] === true)
    return await watch(async () => redact(workspaceStatusText(await read())), input, io);
  const status = await read();
  if (isJson(input)) printJson(io, mapStrings(workspaceStatusJson(status), redact));
  else await printPage(io, redact(workspaceStatusText(status)));
}

/** Draws it again and again until the person leaves. */
async function watch(text: () => Promise<string>, input: Input, io: Io): Promise<void> {
  // Errors are told before anything is drawn.
  await text();
  const terminal = isJson(input) ? undefined : await io.terminal?.();
  if (terminal === undefined) {
    throw new RalphError("usage", "status --watch needs a terminal", {
      hint: "Use ralphctl status --json for programs, or ralphctl logs --follow to follow a run",
    });
  }
  const [{ watchPage }, { createPalette, wantsColors }] = await Promise.all([
    import("../view/watch-page.ts"),
    import("../view/palette.ts"),
  ]);
  await watchPage(text, { terminal, stop: io.interrupts().stop, palette: createPalette(wantsColors(io.env)) });
}
