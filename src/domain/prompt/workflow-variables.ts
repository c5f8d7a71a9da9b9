import type { Mapping } from "../mapping.ts";

/** What the variables of a workflow's prompt stand for, by the word before the dot: `{{item.prompt}}`. */
export type WorkflowVariables = Readonly<Record<string, Mapping>>;

const VARIABLE = /\{\{\s*([\w-]+)\.([\w-]+)\s*\}\}/g;

/**
 * Fills the variables of a prompt. Values are not looked through again. An item without a property has nothing to say
 * there; a variable that nobody knows stays, and is named.
 */
export function fillVariables(
  text: string,
  variables: WorkflowVariables,
): { readonly text: string; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const filled = text.replaceAll(VARIABLE, (written, word: string, name: string) => {
    const values = Object.hasOwn(variables, word) ? variables[word]! : undefined;
    const isKnown =
      values !== undefined && (word === "item" || values === variables["item"] || Object.hasOwn(values, name));
    if (!isKnown) {
      unknown.push(written);
      return written;
    }
    return Object.hasOwn(values, name) ? wordsOf(values[name]) : "";
  });
  return { text: filled, unknown };
}

function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
