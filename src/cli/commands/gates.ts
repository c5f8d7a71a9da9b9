import { showGates } from "../../app/show-gates.ts";
import type { Input } from "../command.ts";
import { caller, printWarnings } from "../flags.ts";
import { gatesJson, gatesText } from "../../format/gates-text.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** T-10: the gates, and what decides about each of them. */
export async function show(input: Input, io: Io): Promise<void> {
  const shown = await showGates(input.args[0], caller(input, io));
  printWarnings(io, shown.warnings);
  if (isJson(input)) printJson(io, gatesJson(shown));
  else await printPage(io, gatesText(shown));
}
