import { RalphError } from "../domain/error.ts";
import type { ConfigEdit } from "./config.ts";
import { withValue } from "./edit-value.ts";
import { valueFromText } from "./environment.ts";
import { type ConfigKey, configKeys, parseKey } from "./keys.ts";
import { type CheckedFile, checkText, checkValue, unknownKey } from "./load.ts";

/** See `setConfigValue` in the contract. */
export function setValue(text: string, { key, value }: ConfigEdit, file: CheckedFile): string {
  // What is wrong in it already is said first, with its place.
  checkText(text, file);
  const path = parseKey(key);
  const known = configKeys().find((each) => isSame(each, path));
  if (known === undefined) throw unknownKey(key);
  const wanted = value === undefined ? undefined : valueFromText(value, known.kind);
  // Before it has a place in the file: a line that nobody wrote would be no help.
  if (value !== undefined) checkValue(path, wanted);
  const edited = withValue(text, path, wanted);
  if (edited === undefined) {
    throw new RalphError("config", `${key} cannot be written into ${file.file} without changing something else`, {
      hint: "Edit the file: ralphctl config edit",
    });
  }
  checkText(edited, file);
  return edited;
}

const isSame = ({ path: known }: ConfigKey, path: readonly string[]): boolean =>
  known.length === path.length && known.every((step, at) => step === path[at] || step === "<name>");
