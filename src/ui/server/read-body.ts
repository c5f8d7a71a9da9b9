import type { HttpReply, HttpRequest } from "../../app/page/serve.ts";
import { RalphError } from "../../domain/error.ts";
import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { API_VERBS, type ApiVerb } from "../api.ts";
import { failure, withHeaders } from "./replies.ts";

/** The fields of a body, as the table of verbs asks for them. */
export interface VerbBody {
  readonly text: (name: string) => string;
  readonly optional: (name: string) => string | undefined;
  readonly number: (name: string) => number;
}

/** Longer words are for a file. */
const MOST_BYTES = 256 * 1024;

/** U-04: JSON with exactly the fields of the verb, or the answer that says what is wrong. */
export async function readBody(request: HttpRequest, verb: ApiVerb): Promise<VerbBody | HttpReply> {
  const [type = "", ...more] = request.header("content-type");
  if (more.length > 0 || !/^application\/json(?:;\s*charset=utf-8)?$/i.test(type)) {
    return withHeaders(failure(415, "The body must be JSON", "Send content-type: application/json"), {
      accept: "application/json",
    });
  }
  const text = await request.body(MOST_BYTES);
  if (text === undefined) return failure(413, `The body is larger than ${MOST_BYTES} bytes`, "Shorten the text");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failure(400, "The body is not valid JSON", "Send an object, such as { }");
  }
  const problem = isMapping(value) ? problemIn(value, verb) : "the body must be an object";
  if (problem !== undefined) return failure(422, `${verb}: ${problem}`, hintFor(verb));
  return bodyOf(value as Mapping);
}

export const isBody = (found: VerbBody | HttpReply): found is VerbBody => "optional" in found;

function problemIn(value: Mapping, verb: ApiVerb): string | undefined {
  const { fields } = API_VERBS[verb];
  const wanted = new Map<string, readonly [string, string]>(Object.entries(fields));
  const other = Object.keys(value).find((name) => !wanted.has(name));
  if (other !== undefined) return `there is no field ${JSON.stringify(other.slice(0, 80))}`;
  for (const [name, [type]] of wanted) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) {
      if (!type.endsWith("?")) return `${name} is missing`;
    } else if (type === "number") {
      if (!Number.isSafeInteger(given) || (given as number) < 1) return `${name} must be a whole number from 1`;
    } else if (typeof given !== "string" || (given.trim() === "" && !type.endsWith("?"))) {
      return `${name} must be a text that is not blank`;
    } else if (given.includes("\0")) {
      return `${name} must be a text without NUL`;
    }
  }
  return undefined;
}

function hintFor(verb: ApiVerb): string {
  const fields = Object.entries(API_VERBS[verb].fields);
  return `Send ${JSON.stringify(Object.fromEntries(fields.map(([name, [type, meaning]]: [string, readonly [string, string]]) => [name, type === "number" ? 1 : meaning])))}`;
}

/** The table has said which fields are there. */
const bodyOf = (value: Mapping): VerbBody => {
  const optional = (name: string): string | undefined => (typeof value[name] === "string" ? value[name] : undefined);
  return {
    optional,
    text: (name) => optional(name) ?? unknownField(name),
    number: (name) => (typeof value[name] === "number" ? value[name] : unknownField(name)),
  };
};

function unknownField(name: string): never {
  throw new RalphError("usage", `${name} is missing`);
}
