import type { PinnedGate } from "../../domain/gate.ts";
import { gateName } from "../../domain/gate-name.ts";
import { isMapping, parseMapping } from "../../domain/mapping.ts";
import { type Found, NOTHING, type Source } from "../source.ts";

/** Where ito, and spool before it, let people name the checks of their loop. The first file that names some counts. */
const FILES = ["ito.json", ".ito/config.json", ".spool/config.json"];

const GROUPS = ["ralph", "", "project"];
const KEYS = ["validationCommands", "validationCommand", "validation.commands", "validation.command"];

/** The checks that a person chose for another loop: written down, so they count as their own words. */
export const ito: Source = async ({ look }): Promise<Found> => {
  const warnings: string[] = [];
  for (const file of FILES) {
    const text = await look.text(file);
    if (text === undefined) continue;
    const data = parseMapping(text);
    if (data === undefined) warnings.push(`\`${file}\` is not a JSON object, so its validation commands are not gates`);
    const found = data === undefined ? undefined : commandsIn(data);
    if (found !== undefined) return { gates: gatesOf(found.commands, `${file} (${found.key})`), warnings };
  }
  return warnings.length === 0 ? NOTHING : { gates: [], warnings };
};

function commandsIn(data: unknown): { readonly commands: readonly string[]; readonly key: string } | undefined {
  for (const group of GROUPS) {
    for (const name of KEYS) {
      const path = [...(group === "" ? [] : [group]), ...name.split(".")];
      const commands = textsIn(
        path.reduce<unknown>((value, step) => (isMapping(value) ? value[step] : undefined), data),
      );
      if (commands.length > 0) return { commands, key: path.join(".") };
    }
  }
  return undefined;
}

const textsIn = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((item) => typeof item === "string")
    .map((command) => command.trim())
    .filter((command) => command !== "");

/** Named apart from discovered gates: `cargo test` of two people may differ in its flags. */
function gatesOf(commands: readonly string[], at: string): PinnedGate[] {
  const gates: PinnedGate[] = [];
  for (const run of new Set(commands)) {
    const taken = gates.map(({ id }) => id);
    gates.push({ id: gateName(`ito-${run}`, taken), run, script: undefined, at });
  }
  return gates;
}
