import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";

/** An argument of a tool. */
export interface ToolField {
  readonly kind: "text" | "number" | "texts";
  readonly doc: string;
  readonly isNeeded?: true;
  /** Its allowed values, or those of its list. */
  readonly choices?: readonly string[];
}

export type ToolFields = Readonly<Record<string, ToolField>>;

interface Kinds {
  readonly text: string;
  readonly number: number;
  readonly texts: readonly string[];
}

/** The checked arguments of a tool. */
export type Values<Of extends ToolFields> = {
  readonly [Name in keyof Of]:
    | Kinds[Of[Name]["kind"]]
    | (Of[Name] extends { readonly isNeeded: true } ? never : undefined);
};

/** The JSON Schema that a client is shown. */
export const schemaOf = (fields: ToolFields): Record<string, unknown> => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, propertyOf(field)])),
  required: Object.keys(fields).filter((name) => fields[name]?.isNeeded),
  additionalProperties: false,
});

function propertyOf({ kind, doc, choices }: ToolField): Record<string, unknown> {
  const word = { type: "string", ...(choices && { enum: choices }) };
  if (kind === "texts") return { type: "array", items: word, description: doc };
  return { ...(kind === "number" ? { type: "integer" } : word), description: doc };
}

/** Checks the arguments of a client. Errors read as on the command line: a message and a hint. */
export function readFields<Of extends ToolFields>(fields: Of, sent: unknown): Values<Of> {
  const given: Readonly<Record<string, unknown>> = typeof sent === "object" && sent !== null ? { ...sent } : {};
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) throw unknownField(name, fields);
  const values = Object.entries(fields).map(([name, field]) => [name, valueOf(name, field, given[name] ?? undefined)]);
  // Each was checked against its field.
  return Object.fromEntries(values) as Values<Of>;
}

function valueOf(name: string, field: ToolField, value: unknown): unknown {
  if (value === undefined) {
    if (field.isNeeded) throw mistake(`${name} is missing`, name, field);
    return undefined;
  }
  if (!FITS[field.kind](value)) throw mistake(`${name} must be ${NAMES[field.kind]}`, name, field);
  const words: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = field.choices && words.find((word) => !field.choices?.some((choice) => choice === word));
  if (wrong !== undefined) throw mistake(`${name} ${JSON.stringify(wrong)} is not one of its choices`, name, field);
  return value;
}

const FITS: Readonly<Record<ToolField["kind"], (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => Number.isSafeInteger(value),
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
};

const NAMES: Readonly<Record<ToolField["kind"], string>> = {
  text: "text",
  number: "a whole number",
  texts: "a list of texts",
};

const mistake = (sentence: string, name: string, { doc, choices }: ToolField): RalphError =>
  new RalphError("usage", sentence, { hint: `Send ${name}: ${choices ? choices.join(", ") : doc}` });

function unknownField(name: string, fields: ToolFields): RalphError {
  const meant = closestMatch(name, Object.keys(fields));
  return new RalphError("usage", `Unknown argument ${JSON.stringify(name)}`, {
    hint: meant ? `Did you mean ${meant}?` : `Send only: ${Object.keys(fields).join(", ")}`,
  });
}
