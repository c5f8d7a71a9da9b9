import * as z from "zod/mini";
import { type KeyPath, MAX_PROBLEMS, type TextProblem, type Speech, writtenValue } from "../domain/data-problem.ts";
import { closestMatch } from "../domain/closest-match.ts";

interface Words extends Speech {
  /** The subject of a sentence about all of the data: `The configuration`. */
  readonly whole: string;
  /** Hints for a wrong value whose rule brings none, and for an unknown key that resembles no other. */
  readonly hints: {
    readonly value: (rule: string, value: unknown) => string;
    readonly key: (known: readonly string[]) => string;
  };
  /** The key elsewhere that an unknown key was meant as. */
  readonly meantAs?: (name: string) => string | undefined;
  readonly shown?: (value: unknown) => string;
}

/** The problem of an unknown key, which some callers only warn of, has `isUnknownKey`. */
export type DataProblem = TextProblem & { readonly isUnknownKey?: true | undefined };

/** An object without other keys. A message of a schema is a rule ("must be text"), and below it a hint of its own. */
export const strictMapping = <Shape extends z.core.$ZodShape>(shape: Shape, rule: string) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join("\n") : rule),
  });

/** The problems that a schema finds in data, in plain sentences, one for each value. */
export function findProblems(schema: z.ZodMiniType, data: unknown, words: Words): DataProblem[] {
  const { error } = schema.safeParse(data);
  const faults = flatten(error?.issues ?? [], []);
  const seen = new Set<string>();
  return faults
    .filter(({ path }) => {
      const place = JSON.stringify(path);
      return !seen.has(place) && seen.add(place);
    })
    .slice(0, MAX_PROBLEMS)
    .map((fault) => (fault.is === "unknown" ? unknownKey(fault, words) : wrongValue(fault, data, words)));
}

interface Fault {
  readonly path: KeyPath;
  readonly message: string;
  readonly is: "value" | "key" | "unknown";
}

function flatten(issues: readonly z.core.$ZodIssue[], around: KeyPath): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const { message } = issue;
    const path = [...around, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], message, is: "unknown" }));
    }
    if (issue.code === "invalid_union") {
      // Of "a word or a list", a list with a wrong entry was meant as a list: say what is wrong inside.
      const meant = issue.errors.find((branch) =>
        branch.some(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
      );
      if (meant !== undefined) return flatten(meant, path);
    }
    if (issue.code === "invalid_key") return [{ path, message: issue.issues[0]?.message ?? "", is: "key" }];
    return [{ path, message, is: "value" }];
  });
}

function wrongValue({ path, message, is }: Fault, data: unknown, words: Words): DataProblem {
  const [rule = "", ownHint] = message.split("\n");
  const value = valueAt(data, path);
  const name = path.length === 0 ? words.whole : words.nameOf(path);
  const position = words.locate(path, is === "key" ? "key" : "value");
  if (is === "key") return { sentence: `The key ${name} ${rule}`, hint: "Rename it", position };
  if (value === undefined && path.length > 0) {
    return { sentence: `${name} is missing; it ${rule}`, hint: `Add \`${path.at(-1)}\``, position };
  }
  const contrast = rule.startsWith("must be") ? `, not ${(words.shown ?? writtenValue)(value)}` : "";
  const hint = ownHint ?? words.hints.value(rule, value);
  return { sentence: `${name} ${rule}${contrast}`, hint, position };
}

function unknownKey({ path, message }: Fault, { nameOf, locate, hints, meantAs }: Words): DataProblem {
  const [around, name, known] = [path.slice(0, -1), String(path.at(-1)), message.split("\n")];
  const near = closestMatch(name, known);
  const meant = near === undefined ? meantAs?.(name) : nameOf([...around, near]);
  return {
    sentence: `Unknown key ${nameOf(path)}${meant === undefined ? "" : `; the closest is ${meant}`}`,
    hint: meant === undefined ? hints.key(known) : `Write \`${meant}\``,
    position: locate(path, "key"),
    isUnknownKey: true,
  };
}

/** The value at a path; undefined when there is none. */
export function valueAt(data: unknown, path: KeyPath): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
