import { fleetSql, fleetStatus, initFleet } from "../../app/fleet/fleet.ts";
import { fleetInitText, fleetStatusText } from "../../format/fleet-text.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";
import { printPage } from "../page.ts";

/** F-09: sets up the database, or shows how. */
export async function init(input: Input, io: Io): Promise<void> {
  if (input.options["printSql"] === true) {
    io.out(fleetSql());
    return;
  }
  const made = await initFleet(input.args[0], io);
  for (const sentence of made.warnings) io.err(`warning: ${sentence}\n`);
  if (isJson(input)) printJson(io, made);
  else await printPage(io, fleetInitText(made));
}

export async function status(input: Input, io: Io): Promise<void> {
  const shown = await fleetStatus(input.args[0], io);
  if (isJson(input)) printJson(io, shown);
  else await printPage(io, fleetStatusText(shown));
}
