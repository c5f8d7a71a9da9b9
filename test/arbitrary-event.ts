import fc from "fast-check";
import { EVENT_DOCS } from "../src/domain/run/event-docs.ts";
import { EVENT_OBJECTS } from "../src/domain/run/event-objects.ts";
import type { RunEvent } from "../src/domain/run/event.ts";
import { anyText } from "./any-text.ts";

/** Any event that the table allows, with any texts and numbers: also such as only a damaged file would have. */
export const arbitraryEvent = (): fc.Arbitrary<RunEvent> =>
  fc.oneof(
    ...Object.entries(EVENT_DOCS).map(([type, { fields }]) =>
      fc
        .record(Object.fromEntries(Object.entries(fields).map(([name, [kind]]) => [name, arbitrary(kind)])))
        .map((event) => withoutAbsent(Object.assign(event, { type })) as unknown as RunEvent),
    ),
  );

const text = fc.oneof(
  anyText(),
  fc.constantFrom("done", "verified", "plan", "\u001b[31mred\u001b[0m\r\n\u0007\u202e", "a\nb\tc", ""),
);

const number = fc.oneof(fc.nat(), fc.integer(), fc.constantFrom(0, 1, 1.5, Number.MAX_SAFE_INTEGER));

function arbitrary(type: string): fc.Arbitrary<unknown> {
  if (type.endsWith("?")) return fc.option(arbitrary(type.slice(0, -1)), { nil: undefined });
  if (type.endsWith(", null")) return fc.option(arbitrary(type.slice(0, -", null".length)));
  if (type.startsWith("list of ")) return fc.array(arbitrary(type.slice("list of ".length)), { maxLength: 12 });
  if (type === "text") return text;
  if (type === "number") return number;
  if (type === "true, false") return fc.boolean();
  const fields = Object.entries(EVENT_OBJECTS[type as keyof typeof EVENT_OBJECTS]);
  return fc.record(Object.fromEntries(fields.map(([name, kind]) => [name, arbitrary(kind)]))).map(withoutAbsent);
}

const withoutAbsent = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
