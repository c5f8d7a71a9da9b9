import { describe, expect, test } from "vitest";
import { changeTasks, implementationPlan, prd, sprintProgress } from "./index.ts";
import { type KnownEntry, matchEntries, PlanError, type PlanFormat } from "./plan.ts";

// No clock in here: what is not linear does not end within the time limit of a test.

const MEGABYTE = 1_000_000;
const times = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

/** How many entries there are, or at which line the text was refused. */
function outcome(format: PlanFormat, text: string): number | string {
  try {
    return format.read(text).entries.length;
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return `refused in line ${error.line}`;
  }
}

describe("as many entries as may be", () => {
  const plans: [PlanFormat, string, number][] = [
    [
      implementationPlan,
      times(100, (section) => `## S${section}\n${times(100, (at) => `- [ ] Task ${section} ${at}\n`)}`),
      10_100,
    ],
    [implementationPlan, times(10_000, () => "- [ ] The same\n"), 10_000],
    [changeTasks, times(10_000, (at) => `### Task 1.${at}: Do\n- **Status**: [ ] pending\n`), 10_000],
    [sprintProgress, `dynamic-steps:\n${times(1_500, (at) => `  - id: s-${at}\n    prompt: Do\n`)}`, 1_500],
    [prd, `[${times(9_999, (at) => `{"id": "U-${at}", "title": "x", "passes": false},\n`)}{"title": "y"}]`, 10_000],
  ];

  test.each(plans)("$name: read, and all marked at once", (format, text, count) => {
    const { entries } = format.read(text);
    expect(entries).toHaveLength(count);
    const tasks = entries.filter(({ kind }) => kind === "task");
    const result = format.write(text, new Map(tasks.map(({ key }) => [key, "done"])));
    expect(
      new Set(
        format
          .read(result)
          .entries.filter(({ kind }) => kind === "task")
          .map(({ status }) => status),
      ),
    ).toEqual(new Set(["done"]));
  });

  test("P-51 under one heading, every title a little changed", () => {
    const word = (at: number): string =>
      Math.imul(at + 1, 2_654_435_761)
        .toString(36)
        .replaceAll(/[\d-]/g, "x");
    const text = (suffix: string): string =>
      times(10_000, (at) => `- [ ] Make ${word(at)} work with ${word(at + 50_000)}${suffix}\n`);
    const known = knownFrom(text(""));
    const { kept, added, gone } = matchEntries(known, implementationPlan.read(text(" now")).entries);
    expect(kept.length).toBeGreaterThan(9_900);
    expect([added.length, gone.length]).toEqual([10_000 - kept.length, 10_000 - kept.length]);
  });

  test("P-51 under one heading, all alike and all changed", () => {
    const known = knownFrom(times(10_000, () => "- [ ] Write the tests for it\n"));
    const { kept } = matchEntries(
      known,
      implementationPlan.read(times(10_000, () => "- [ ] Write the tests for this\n")).entries,
    );
    expect(kept.length).toBeGreaterThan(0);
  });
});

function knownFrom(text: string): KnownEntry[] {
  return implementationPlan.read(text).entries.map(({ key, kind, title, description, status, parentKey }, at) => {
    return { taskId: `t-${at}`, key, kind, title, description, status, parentKey };
  });
}

describe("megabytes of anything", () => {
  const deeper = times(2_200, (at) => `${"  ".repeat(at)}- [ ] x\n`);

  test.each<[string, string, number]>([
    ["nesting, a level a line", deeper, 2_200],
    ["indentation of 100,000 columns", `- [ ] a\n${" ".repeat(100_000)}- [ ] b\n`, 2],
    ["one line of five megabytes", `- [ ] ${"x".repeat(5 * MEGABYTE)}`, 1],
    ["a long line of words", `- [ ] ${"word ".repeat(200_000)}`, 1],
    ["a long line of spaces", `- [ ] a${" ".repeat(MEGABYTE)}b`, 1],
    ["a heading of hashes and spaces", `# a ${"# ".repeat(500_000)}x\n- [ ] b`, 2],
    ["backticks in a line", `- [ ] ${"`".repeat(100_000)}`, 1],
    ["runs of backticks", `- [ ] ${times(3_000, (at) => `${"`".repeat(at % 1000)} `)}`, 1],
    ["a fence of 100,000 backticks", `${"`".repeat(100_000)}\n- [ ] a\n`, 0],
    ["fences", "```\n".repeat(49_998), 0],
    ["open comments", "<!--\n".repeat(49_998), 0],
    ["comments behind a title", `- [ ] a ${"<!---->".repeat(500_000)}`, 1],
    ["ends of comments behind a title", `- [ ] a ${"-->".repeat(300_000)}`, 1],
    ["brackets", `- [ ] ${"(needs: ".repeat(500_000)}`, 1],
    ["opening brackets", `- [ ] ${"[".repeat(MEGABYTE)}`, 1],
    ["stars", `- [ ] ${"*".repeat(MEGABYTE)}`, 1],
    ["dots", `- [ ] a${".".repeat(500_000)}b`, 1],
    ["digits", `- [ ] ${"1.".repeat(500_000)} b`, 1],
    ["empty lines", "\n".repeat(49_998), 0],
    ["list marks", "- ".repeat(500_000), 0],
    ["text below deep nesting", `${deeper}${"x\n".repeat(45_000)}`, 2_200],
    ["rules below text", "a\n---\n".repeat(10_000), 0],
    ["quotations", "> - [ ] a\n".repeat(49_998), 0],
    ["front matter without end", `---\na:\n${"--\n".repeat(49_990)}`, 0],
    ["fields", `### T1: a\n- **Status**: [ ]\n${"- **Depends On**: T2\n".repeat(10_000)}`, 1],
  ])("Markdown: %s", (_name, text, count) => {
    expect(changeTasks.read(text).entries).toHaveLength(count);
    expect(outcome(implementationPlan, text)).toBe(text.startsWith("###") ? 0 : count);
  });

  test.each<[string, string, number | string]>([
    ["open lists", "[".repeat(30_000), "refused in line 1"],
    ["closed lists", "[".repeat(30_000) + "]".repeat(30_000), "refused in line 1"],
    ["maps in a line", "{a: ".repeat(20_000), "refused in line 1"],
    ["dashes in a line", "- ".repeat(30_000), "refused in line 1"],
    ["maps, a level a line", times(800, (at) => `${" ".repeat(at)}a:\n`), "refused in line 60"],
    ["keys", times(5_000, (at) => `k${at}: v\n`), 0],
    ["one long line", `goal: ${"x".repeat(390_000)}`, 0],
    ["backticks", "`".repeat(MEGABYTE), "refused in line 1"],
    ["quotes", '"'.repeat(20_000), "refused in line 1"],
    ["anchors", "&a ".repeat(20_000), "refused in line 1"],
    ["copies of copies", `a: &a [x]\n${times(30, (at) => `b${at}: &b${at} [*a, *a]\n`)}dynamic-steps: [{id: x}]\n`, 1],
    ["documents", "---\n".repeat(10_000), "refused in line 2"],
  ])("YAML: %s", (_name, text, expected) => {
    expect(outcome(sprintProgress, text)).toBe(expected);
  });

  test.each<[string, string, number | string]>([
    ["open lists", "[".repeat(500_000), "refused in line 1"],
    ["a deep member", `{"x": ${"[".repeat(90)}${"]".repeat(90)}, "userStories": []}`, 0],
    ["deep objects", `{"x": ${'{"a":'.repeat(200_000)}`, "refused in line 1"],
    ["one long text", `[{"title": "${"x".repeat(MEGABYTE)}"}]`, 1],
    ["escapes", `[{"title": "a${"\\n".repeat(500_000)}b"}]`, 1],
    ["spaces", `[${" ".repeat(MEGABYTE)}]`, 0],
    ["digits", `[{"title": "a", "priority": ${"1".repeat(MEGABYTE)}}]`, 1],
    ["members", `[{${times(60_000, (at) => `"k${at}": 1,`)} "title": "a"}]`, 1],
    ["an open text", `["${"\\".repeat(MEGABYTE)}`, "refused in line 1"],
  ])("JSON: %s", (_name, text, expected) => {
    expect(outcome(prd, text)).toBe(expected);
  });
});

describe("B-04 more than is read in one piece, in which no signal would be heard", () => {
  const steps = (count: number): string => `dynamic-steps:\n${times(count, (at) => `  - id: s-${at}\n`)}`;

  test.each<[string, PlanFormat, string, string]>([
    ["lines", changeTasks, ">\n".repeat(500_000), "The plan goes on beyond 50000 lines"],
    ["check boxes", changeTasks, "- [ ] a\n".repeat(20_000), "The plan has more than 12000 headings and check boxes"],
    ["headings", implementationPlan, "# a\n".repeat(20_000), "The plan has more than 12000 headings and check boxes"],
    ["brackets", prd, "[".repeat(MEGABYTE), "The values are nested too deeply"],
    ["nested members", prd, '{"a":'.repeat(101), "The values are nested too deeply"],
    ["values", prd, `[${"1,".repeat(200_000)}1]`, "The file has too many values"],
    ["lists of YAML", sprintProgress, "[a]\n".repeat(250_000), "The file has too many entries"],
    ["steps", sprintProgress, steps(20_000), "The file has too many entries"],
    ["words of YAML", sprintProgress, "a\n".repeat(500_000), "The file has more than 400000 characters"],
  ])("%s", (_name, format, text, sentence) => {
    expect(() => format.read(text)).toThrow(sentence);
  });
});
