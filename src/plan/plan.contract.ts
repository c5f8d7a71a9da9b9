import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "../domain/error.ts";
import { type MarkChange, type PlanEntry, PlanError, type PlanFormat } from "./plan.ts";
import { byLane } from "../../test/lane.ts";
import { anyText } from "../../test/any-text.ts";

const decoded = fc.oneof(
  anyText(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("utf8")),
);
const changes: readonly MarkChange[] = ["open", "done", "dropped", "failed", "parked"];
const often = { numRuns: byLane(100, 400) };

/** Lines of the given kinds in any order, with either line ending, with and without byte order mark and last newline. */
export const textOfLines = (lines: readonly string[]): fc.Arbitrary<string> =>
  fc
    .record({
      bom: fc.constantFrom("", "\uFEFF"),
      ending: fc.constantFrom("\n", "\r\n"),
      pieces: fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...lines) }, fc.string()), { maxLength: 30 }),
      last: fc.boolean(),
    })
    .map(({ bom, ending, pieces, last }) => bom + pieces.join(ending) + (last ? ending : ""));

/** Every format passes these. `texts` are mostly texts that it can read. */
export function planContract(format: PlanFormat, texts: fc.Arbitrary<string>): void {
  /** The entries, or none where the text is refused; what is thrown must be ours. */
  const entriesOf = (text: string): readonly PlanEntry[] | undefined => orPlanError(() => format.read(text).entries);

  describe("as a plan format", () => {
    test("P-53 any text at all is read, or refused with line, column and hint", () => {
      fc.assert(
        fc.property(fc.oneof(decoded, texts, broken(texts)), (text) => {
          entriesOf(text);
        }),
        { numRuns: byLane(200, 1000) },
      );
    });

    test("P-51 keys are unique, parents come first, needs are there, titles are one line", () => {
      fc.assert(
        fc.property(fc.oneof(texts, broken(texts)), (text) => {
          const entries = entriesOf(text) ?? [];
          const keys = new Set<string>();
          for (const { key, parentKey, title } of entries) {
            expect([keys.has(key), parentKey === undefined || keys.has(parentKey)]).toEqual([false, true]);
            expect(title).toMatch(/^\S[^\r\n]*$/);
            keys.add(key);
          }
          expect(entries.flatMap(({ needs }) => needs).filter((need) => !keys.has(need))).toEqual([]);
        }),
        often,
      );
    });

    test("P-50 writing what is there already returns the identical text", () => {
      fc.assert(
        fc.property(texts, (text) => {
          const entries = entriesOf(text);
          const marks = (entries ?? []).flatMap(({ key, kind, status, aside }): [string, MarkChange][] => {
            const isOurs = kind === "task" && status !== "started" && (status === "open" || aside === undefined);
            return isOurs ? [[key, aside ?? status]] : [];
          });
          if (entries) expect(format.write(text, new Map(marks))).toBe(text);
        }),
        often,
      );
    });

    test("P-50 marking one entry changes its mark and nothing else", () => {
      fc.assert(
        fc.property(fc.oneof(texts, broken(texts)), fc.nat(), fc.constantFrom(...changes), (text, pick, change) => {
          const before = entriesOf(text) ?? [];
          const tasks = before.filter(({ kind }) => kind === "task");
          const entry = tasks[pick % tasks.length];
          const result = entry && orPlanError(() => format.write(text, new Map([[entry.key, change]])));
          if (!entry || result === undefined) return;
          const after = format.read(result).entries;
          expect(after.map((one) => said(one, entry.key))).toEqual(before.map((one) => said(one, entry.key)));
          const { status } = after.find(({ key }) => key === entry.key)!;
          if (change === "done") expect(status).toBe("done");
          if (change === "open") expect(status).toBe("open");
          expect(format.write(result, new Map([[entry.key, change]]))).toBe(result);
        }),
        often,
      );
    });

    test("P-50 done and open again gives back the same bytes for an entry that was open", () => {
      fc.assert(
        fc.property(texts, fc.nat(), (text, pick) => {
          const open = (entriesOf(text) ?? []).filter(
            ({ kind, status, aside, mark }) => kind === "task" && status === "open" && aside === undefined && mark,
          );
          const entry = open[pick % open.length];
          const isPlain =
            entry && ["pending", " ", "false", "] pending"].some((word) => markText(text, entry).endsWith(word));
          const done = isPlain && orPlanError(() => format.write(text, new Map([[entry.key, "done"]])));
          if (done) expect(format.write(done, new Map([[entry.key, "open"]]))).toBe(text);
        }),
        often,
      );
    });
  });
}

const markText = (text: string, { mark }: PlanEntry): string => text.slice(mark!.start, mark!.end);

/** Everything an entry says, but for the mark of the one that is being marked and for places that may move. */
function said({ line: _line, mark: _mark, status, aside, ...rest }: PlanEntry, marked: string): object {
  return rest.key === marked ? rest : { ...rest, status, aside };
}

/** The text with a piece cut out or put in. */
const broken = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(texts, fc.nat(), fc.nat(8), fc.string({ maxLength: 4 })).map(([text, at, cut, piece]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + piece + text.slice(from + cut);
  });

function orPlanError<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    expect(error).toBeInstanceOf(PlanError);
    expect(error).toBeInstanceOf(RalphError);
    const { kind, line, column, hint } = error as PlanError;
    expect([kind, line >= 1, column >= 1, (hint ?? "") !== ""]).toEqual(["data", true, true, true]);
    return undefined;
  }
}
