import type * as z from "zod/mini";
import { closestMatch } from "../domain/closest-match.ts";
import { configKeys } from "./keys.ts";
import { configSchema, infoOf, type Fields } from "./schema.ts";
import type { Speech } from "./speech.ts";
import { rootFields, valueAt } from "./tree.ts";
import { MAX_PROBLEMS, type KeyPath, type TextProblem } from "../system/yaml-text.ts";

/** What is wrong with a tree, in plain sentences; empty when nothing is. One sentence per value. */
export function findProblems(tree: unknown, speech: Speech): TextProblem[] {
  const result = configSchema.safeParse(tree);
  if (result.success) return [];
  const faults = flatten(result.error.issues, []);
  const seen = new Set<string>();
  return faults
    .filter(({ path, unknown }) => {
      const place = JSON.stringify([path, unknown]);
      return !seen.has(place) && seen.add(place);
    })
    .slice(0, MAX_PROBLEMS)
    .map((fault) => (fault.unknown === undefined ? wrongValue(fault, tree, speech) : unknownKey(fault, speech)));
}

interface Fault {
  readonly path: KeyPath;
  readonly message: string;
  /** The key itself is not known. */
  readonly unknown?: string;
  /** It is the key, not its value, that is wrong. */
  readonly isKey?: boolean;
}

function flatten(issues: readonly z.core.$ZodIssue[], around: KeyPath): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const path = [...around, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], message: "", unknown: key }));
    }
    if (issue.code === "invalid_union") {
      // Of "a word or a list", a list with a wrong entry was meant as a list: say what is wrong inside.
      const meant = issue.errors.find((branch) => branch.some((inner) => inner.path.length > 0));
      if (meant !== undefined) return flatten(meant, path);
    }
    if (issue.code === "invalid_key") return [{ path, message: issue.issues[0]?.message ?? "", isKey: true }];
    return [{ path, message: issue.message }];
  });
}

function wrongValue({ path, message, isKey }: Fault, tree: unknown, speech: Speech): TextProblem {
  const value = valueAt(tree, path);
  const name = speech.nameOf(path);
  const position = speech.locate(path, isKey === true ? "key" : "value");
  if (isKey === true) return { sentence: `The key ${name} ${message}`, hint: "Rename it", position };
  if (path.length === 0)
    return { sentence: `The configuration ${message}`, hint: "Write `key: value` lines", position };
  if (value === undefined) {
    return { sentence: `${name} is missing; it ${message}`, hint: `Add \`${path.at(-1)}\``, position };
  }
  const contrast = message.startsWith("must be") ? `, not ${shown(value)}` : "";
  const wantsText = message.includes("text") && ["number", "boolean"].includes(typeof value);
  return { sentence: `${name} ${message}${contrast}`, hint: wantsText ? QUOTE : CORRECT, position };
}

const QUOTE = "Put quotes around it";
const CORRECT = "Correct the value; `ralphctl config schema` describes every key";

function unknownKey({ path, unknown = "" }: Fault, speech: Speech): TextProblem {
  const around = path.slice(0, -1);
  const meant = closestMatch(unknown, Object.keys(fieldsAt(around)));
  const suggestion = meant === undefined ? elsewhere(unknown) : speech.nameOf([...around, meant]);
  const name = speech.nameOf(path);
  return {
    sentence: `${name} is not a known key${suggestion === undefined ? "" : `; the nearest is ${suggestion}`}`,
    hint: suggestion === undefined ? "Remove it; `ralphctl config schema` lists every key" : `Write \`${suggestion}\``,
    position: speech.locate(path, "key"),
  };
}

/** The known keys at a path. */
function fieldsAt(path: KeyPath): Fields {
  let fields = rootFields;
  let skipsName = false;
  for (const step of path) {
    if (skipsName) {
      skipsName = false;
      continue;
    }
    const info = typeof step === "string" && Object.hasOwn(fields, step) ? infoOf(fields[step]!) : undefined;
    fields = info?.fields ?? {};
    skipsName = info?.entries !== undefined;
  }
  return fields;
}

/** A key of that very name in another group: `cost` at the top was meant as `limits.cost`. */
const elsewhere = (name: string): string | undefined =>
  configKeys()
    .find(({ path, variable }) => path.at(-1) === name && variable !== undefined)
    ?.path.join(".");

/** A path as people write it: `gates[0].run`, `limits.cost`. */
export function written(path: KeyPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = /^[\w.<>-]+$/.test(step) ? step : JSON.stringify(clip(step));
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

function shown(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return JSON.stringify(clip(value));
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "something else";
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
