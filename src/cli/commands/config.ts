import type { ConfigEdit } from "../../app/config.ts";
import { configFiles, configSchema, getConfig } from "../../app/config.ts";
import { configToEdit, editConfig, takeConfig } from "../../app/edit-config.ts";
import { keepingTrust } from "../../app/trust/trust.ts";
import { printable } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";

/** Prints a key, or all of the configuration, as it is in effect here. */
export async function get(input: Input, io: Io): Promise<void> {
  const { value, text, origin } = await getConfig(input.args[0], surroundings(input, io));
  if (isJson(input)) return printJson(io, { version: 1, key: input.args[0] ?? null, value, origin: origin ?? null });
  io.out(text);
  if (origin !== undefined) io.err(`from: ${origin}\n`);
}

/** Sets a value in the file, and says what holds now. */
export const set = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, { key: input.args[0]!, value: input.args.slice(1).join(" ") });

/** Removes a value from the file. */
export const unset = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, { key: input.args[0]!, value: undefined });

async function change(input: Input, io: Io, edit: ConfigEdit): Promise<void> {
  const around = surroundings(input, io);
  const place = { surroundings: around, isUser: input.options["user"] === true };
  const { hasChanged, file } = await keepingTrust(around, async () => await editConfig(edit, place));
  const { value, text, origin } = await getConfig(edit.key, around);
  const [first = "", ...more] = text.trimEnd().split("\n");
  const same = edit.value === undefined ? `${edit.key} is not set in ${file}. ` : "";
  const holds = value === null ? "has no value" : `is ${first}${more.length > 0 ? " …" : ""}`;
  io.out(printable(`${hasChanged ? "" : same}${edit.key} ${holds} (${origin})\n`));
}

/** Opens the file in the person's editor. What would not be valid is not taken. */
export async function edit(input: Input, io: Io): Promise<void> {
  const around = surroundings(input, io);
  const place = { surroundings: around, isUser: input.options["user"] === true };
  const file = await configToEdit(place);
  const { editText } = await import("../edit-text.ts");
  const isChanged = await editText(io, {
    file,
    name: "config.yaml",
    take: async (texts) => await keepingTrust(around, async () => await takeConfig(file, texts, place)),
  });
  io.out(isChanged ? `${file} is valid, and saved\n` : `${file} is as it was\n`);
}

/** Prints the configuration files that were read, the strongest first. */
export async function path(input: Input, io: Io): Promise<void> {
  const files = await configFiles(surroundings(input, io));
  if (isJson(input)) io.out(`${JSON.stringify({ version: 1, files })}\n`);
  else io.out(files.map((file) => `${file}\n`).join(""));
  if (files.length === 0) io.err("No configuration file found; using the defaults. Create one: ralphctl init\n");
}

/** Prints the JSON Schema of the configuration file, for editors. */
export async function schema(_input: Input, io: Io): Promise<void> {
  printJson(io, await configSchema());
}
