import { RalphError } from "../domain/error.ts";
import type { TaskGate } from "../domain/task.ts";
import { type Input, listOption, textOption } from "./command.ts";

/** Gates as they are typed: `unit=make test`. */
export function gateOption(input: Input): TaskGate[] | undefined {
  const gates = gatesOf(input);
  const twice = gates?.find(({ id }, at) => gates.findIndex((gate) => gate.id === id) !== at);
  if (twice === undefined) return gates;
  throw new RalphError("usage", `There are two gates called ${JSON.stringify(twice.id)}`, {
    hint: "Rename one of them",
  });
}

/** A list of texts without the empty ones: `""` alone empties it. */
export const textsOption = (input: Input, name: string): readonly string[] | undefined =>
  listOption(input, name)?.filter((text) => text.trim() !== "");

function gatesOf(input: Input): TaskGate[] | undefined {
  return listOption(input, "gate")
    ?.filter((text) => text !== "")
    .map((text) => {
      const at = text.indexOf("=");
      const id = text.slice(0, at).trim();
      const run = text.slice(at + 1).trim();
      if (at > 0 && id !== "" && run !== "") return { id, run, retries: 0 };
      throw new RalphError("usage", `--gate takes a name and a command, not ${JSON.stringify(text)}`, {
        hint: 'Write --gate "NAME=COMMAND"',
      });
    });
}

/** The words of an argument that may be typed without quotes. Blank is an error. */
export function wordsFrom(input: Input, at: number, what: string): string {
  const text = input.args.slice(at).join(" ").trim();
  if (text !== "") return text;
  throw new RalphError("usage", `The ${what} is blank`, { hint: `Write the ${what} in quotes` });
}

/** A required option. */
export function neededText(input: Input, name: string, hint: string): string {
  const text = textOption(input, name)?.trim();
  if (text !== undefined && text !== "") return text;
  throw new RalphError("usage", `--${name} is missing`, { hint });
}

/** The ids of `--needs`; `--needs a b` works like `--needs a --needs b`. */
export function neededIds(input: Input): readonly string[] {
  const ids = listOption(input, "needs");
  if (ids !== undefined) return [...ids, ...input.args.slice(1)];
  throw new RalphError("usage", "--needs is missing", { hint: "Name the tasks it waits for: --needs ID" });
}
