import * as z from "zod/mini";
import { DURATION, DURATION_FORM, parseDuration } from "../domain/duration.ts";
import { HOOK_POINTS, type HookPoint } from "../domain/hook.ts";
import { parseSize, SIZE, SIZE_FORM } from "../domain/size.ts";

// The kinds of value that keys have. Each message goes on after the key's name ("limits.cost must be …") and says it all:
// the library's own wording is never shown.

/** How one kind of value is checked, read from plain text (a flag, a variable), and shown in the reference. */
export interface Kind<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  /** As the reference says it. */
  readonly name: string;
  /** `text` as it is; `yaml` as a YAML value; `list` as a YAML list or comma-separated. A word in `words` stays text. */
  readonly fromText: "text" | "yaml" | "list";
  readonly words?: readonly string[];
  /** Holds paths, which resolve against the folder of the file that they stand in (cfg-R1). */
  readonly holds?: "paths" | "program";
}

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const ID_MESSAGE = "must be a name of 1 to 64 letters, digits, dots, underscores or hyphens";
// Spelt out, not as a Unicode class: editors that read the JSON Schema do not all know those.
const LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
const TEXT_MESSAGE = "must be text that is not empty";
const LINE_MESSAGE = "must be one line of text that is not empty";

const idSchema = z.string(ID_MESSAGE).check(z.regex(ID, ID_MESSAGE));
const textSchema = z.string(TEXT_MESSAGE).check(z.regex(/\S/, TEXT_MESSAGE));
const lineSchema = z.string(LINE_MESSAGE).check(z.regex(LINE, LINE_MESSAGE));

const kind = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  how: Partial<Omit<Kind, "schema" | "name">> = {},
): Kind<Schema> => ({ name, schema, fromText: "text", ...how });

export const id = kind("name", idSchema);
export const line = kind("text", lineSchema);
export const path = kind("path", lineSchema, { holds: "paths" });
export const program = kind("program", lineSchema, { holds: "program" });
export const text = kind("text", textSchema);
export const command = kind("command", textSchema);
export const flag = kind("true or false", z.boolean("must be true or false"), { fromText: "yaml" });

export const list = kind("list of text", z.array(z.string("must be text"), "must be a list of text"), {
  fromText: "list",
});
export const paths = kind("list of paths", z.array(lineSchema, "must be a list of paths"), {
  fromText: "list",
  holds: "paths",
});
export const lines = kind("list of text", z.array(lineSchema, "must be a list of text"), { fromText: "list" });

export const pathsByName = kind(
  "mapping of paths",
  z.record(idSchema, lineSchema, "must be a mapping of names to paths"),
  { fromText: "yaml", holds: "paths" },
);

export const planFiles = kind(
  "`auto` or list of paths",
  z.union([z.literal("auto"), z.array(lineSchema)], "must be auto or a list of paths"),
  { fromText: "list", words: ["auto"], holds: "paths" },
);

export const harnessNames = kind(
  "name or list of names",
  z.pipe(
    z.union(
      [idSchema, z.array(idSchema).check(z.minLength(1, "must name at least one harness"), distinct("the name"))],
      "must be the name of a harness, or a list of names",
    ),
    z.transform((value: string | string[]): string[] => (typeof value === "string" ? [value] : value)),
  ),
  { fromText: "list" },
);

const POINTS_MESSAGE = `must be one of ${HOOK_POINTS.join(", ")}, or a list of them`;
const pointSchema = z.enum(HOOK_POINTS, POINTS_MESSAGE);

export const hookPoints = kind(
  `${HOOK_POINTS.map((point) => `\`${point}\``).join(", ")}, or list of them`,
  z.pipe(
    z.union(
      [pointSchema, z.array(pointSchema).check(z.minLength(1, "must name at least one point"), distinct("the point"))],
      POINTS_MESSAGE,
    ),
    z.transform((value: HookPoint | HookPoint[]): HookPoint[] => (typeof value === "string" ? [value] : value)),
  ),
  { fromText: "list" },
);

export const variables = kind(
  "mapping of text",
  z.record(
    z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")),
    z.string("must be text"),
    "must be a mapping of names to text",
  ),
  { fromText: "yaml" },
);

/** A whole number from `least` on. */
export const count = (least: 0 | 1) => {
  const message = `must be a whole number of at least ${least}`;
  return kind("whole number", z.int(message).check(z.gte(least, message)), { fromText: "yaml" });
};

const LANES_MESSAGE = "must be a whole number of at least 1, or auto";

/** How many lanes work at once. */
export const lanes = kind(
  "whole number or `auto`",
  z.union([z.int().check(z.gte(1, LANES_MESSAGE)), z.literal("auto")], LANES_MESSAGE),
  { fromText: "yaml" },
);

const LIMIT_MESSAGE = "must be a whole number or unlimited";

/** A whole number; 0, which `unlimited` becomes, means none. */
export const countOrUnlimited = kind(
  "whole number or `unlimited`",
  z.pipe(
    z.union([z.int().check(z.gte(0, LIMIT_MESSAGE)), z.literal("unlimited")], LIMIT_MESSAGE),
    z.transform((value: number | "unlimited"): number => (value === "unlimited" ? 0 : value)),
  ),
  { fromText: "yaml" },
);

const MONEY_MESSAGE = "must be a number greater than 0";
export const money = kind("number", z.number(MONEY_MESSAGE).check(z.gt(0, MONEY_MESSAGE)), { fromText: "yaml" });

export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  kind(words.map((word) => `\`${word}\``).join(", "), z.enum(words, `must be one of ${words.join(", ")}`));

/** Milliseconds once read. */
export const duration = kind("duration", measured({ pattern: DURATION, form: DURATION_FORM, parse: parseDuration }));

/** Bytes once read. */
export const size = kind("size", measured({ pattern: SIZE, form: SIZE_FORM, parse: parseSize }));

export const promise = kind(
  "text",
  z.string(LINE_MESSAGE).check(
    z.regex(LINE, LINE_MESSAGE),
    z.regex(/^[^<>]*$/, "must be text without < and >"),
    z.regex(/^\S(?:.*\S)?$/u, "must be text without spaces at its ends"),
    z.refine((word) => word !== "FAILURE", "must not be FAILURE, which stops a run"),
  ),
);

/** The same kind, or null for "not set". */
export const unset = <Schema extends z.ZodMiniType>(inner: Kind<Schema>): Kind<z.ZodMiniNullable<Schema>> => ({
  ...inner,
  schema: z.nullable(inner.schema),
});

type Named = string | { readonly id: string | null; readonly use?: string | null };

/** Refuses a list in which a name stands twice. */
export function distinct<Item extends Named>(what: string) {
  const nameOf = (item: Named): string => (typeof item === "string" ? item : (item.id ?? item.use ?? ""));
  return z.check<Item[]>(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, name] of value.map(nameOf).entries()) {
      const message = `repeats ${what} ${name}`;
      if (seen.has(name)) issues.push({ code: "custom", input: value, path: [index], message });
      seen.add(name);
    }
  });
}

function measured(form: {
  readonly pattern: RegExp;
  readonly form: string;
  readonly parse: (written: string | number) => number | undefined;
}) {
  const message = `must be ${form.form}`;
  return z.pipe(
    z
      .union([z.string().check(z.regex(form.pattern, message)), z.int().check(z.gt(0, message))], message)
      .check(z.refine((written) => form.parse(written) !== undefined, message)),
    // The check above has just passed.
    z.transform((written: string | number): number => form.parse(written)!),
  );
}
