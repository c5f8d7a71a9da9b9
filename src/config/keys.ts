import { VARIABLE_PREFIX } from "../domain/environment.ts";
import type { Kind } from "./kinds.ts";
import { infoOf, type Fields } from "./described-key.ts";
import { rootFields } from "./tree.ts";

/** One key that holds a value. */
export interface ConfigKey {
  /** `<name>` stands for any name; a step that ends in `[]` for each entry of a list. */
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly doc: string;
  /** As it would be written in a file; undefined when the key is required. */
  readonly fallback: unknown;
  /** The variable that sets it; undefined for keys inside a list. */
  readonly variable: string | undefined;
}

/** Every key that holds a value, in the order of the schema. */
export const configKeys = (): ConfigKey[] => keysOf(rootFields, []);

function keysOf(fields: Fields, around: readonly string[]): ConfigKey[] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    const { kind, doc, fallback, fields: inner = {}, entries } = infoOf(schema) ?? { doc: "" };
    const path = [...around, name];
    if (kind === undefined) return keysOf(inner, entries === "by name" ? [...path, "<name>"] : path);
    const variable = around.some((step) => step.endsWith("[]")) ? undefined : variableOf(path);
    const within = entries === "in a list" ? keysOf(inner, [...around, `${name}[]`]) : [];
    return [{ path, kind, doc, fallback, variable } as ConfigKey].concat(within);
  });
}

/** The variable of a key: `limits.cost` is `RALPHCTL_LIMITS_COST`. A name's other signs become underscores. */
export const variableOf = (path: readonly string[]): string =>
  VARIABLE_PREFIX + path.map((step) => step.toUpperCase().replaceAll(/[^A-Z0-9<>]/g, "_")).join("_");

/**
 * The path that a written key means: `limits.cost`; harness names may contain dots themselves.
 * Not checked: the path need not exist.
 */
export function parseKey(written: string): readonly string[] {
  const steps = written.split(".");
  if (steps[0] !== "harnesses" || steps.length < 3) return steps;
  const field = steps.at(-1) ?? "";
  const isField = Object.hasOwn(infoOf(rootFields["harnesses"]!)?.fields ?? {}, field);
  return isField ? ["harnesses", steps.slice(1, -1).join("."), field] : ["harnesses", steps.slice(1).join(".")];
}

/** Every key as one row of a Markdown table. */
export function makeReference(): string {
  const rows = configKeys().map(row);
  return ["| key | type | default | environment | meaning |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}

function row({ path, kind, doc, fallback, variable }: ConfigKey): string {
  const cells = [
    `\`${path.join(".")}\``,
    kind.name,
    fallback === undefined ? "required" : shownDefault(fallback),
    variable === undefined ? "" : `\`${variable}\``,
    doc,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function shownDefault(fallback: unknown): string {
  if (fallback === null) return "not set";
  return `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}\``;
}
