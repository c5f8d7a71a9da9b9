import { expect, test } from "vitest";
import { DONE, sh } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { expectSound } from "../many-lanes.ts";
import { randomBy } from "../torture/persons-desk.ts";

// The same draws each time; others by RALPH_SEED and RALPH_DRAWS.
const FIRST = Number(process.env["RALPH_SEED"] ?? 1);
const seeds = Array.from({ length: Number(process.env["RALPH_DRAWS"] ?? 3) }, (_, index) => FIRST + index);

interface Drawn {
  readonly title: string;
  /** The places of the tasks that it needs, all before its own. */
  readonly needs: readonly number[];
  /** What it does to files that no other task touches. */
  readonly commands: readonly string[];
  /** Whether its first claim is red. */
  readonly isRedFirst: boolean;
}

const WAYS: readonly ((at: number) => string)[] = [
  (at) => `mkdir -p made/${at}; echo ${at} > made/${at}/new.txt`,
  (at) => `sed -i s/old/new-${at}/ given/${at}.txt`,
  (at) => `git rm -q --ignore-unmatch gone/${at}.txt; rm -f gone/${at}.txt`,
  (at) => `if [ -e moved/${at}.txt ]; then mkdir -p there; git mv moved/${at}.txt there/${at}.txt; fi`,
  (at) => `chmod +x given/${at}.txt`,
  (at) => `ln -sf given/${at}.txt link-${at}`,
  (at) => `git add --all; git commit -qm "Own ${at}" || true`,
];

function draw(random: () => number): Drawn[] {
  const count = 6 + Math.floor(random() * 4);
  return Array.from({ length: count }, (_, at) => ({
    title: `Task ${at}`,
    needs: Array.from({ length: at }, (__, other) => other).filter(() => random() < 0.2),
    commands: [`echo ${at} > own-${at}.txt`, ...WAYS.filter(() => random() < 0.5).map((way) => way(at))],
    isRedFirst: random() < 0.25,
  }));
}

/** Works twice alike, as an agent would that finds its earlier work. */
const sessionOf = ({ commands, isRedFirst }: Drawn, at: number): readonly Record<string, unknown>[] => [
  sh(isRedFirst ? `if [ -e bad-${at} ]; then rm bad-${at}; else touch bad-${at}; fi` : "true"),
  ...commands.map(sh),
  DONE,
];

/** The tree that a graph comes to in so many lanes. */
async function treeOf(tasks: readonly Drawn[], lanes: number): Promise<string[]> {
  const given = tasks.flatMap((_, at) => ["given", "gone", "moved"].map((folder) => [`${folder}/${at}.txt`, "old\n"]));
  const place = await loopWorkspace({
    tasks: tasks.map(({ title }) => title),
    files: Object.fromEntries(given),
    // L-10: with many lanes, two proofs at once.
    config: `gates: [{ id: test, run: "! ls bad-* 2>/dev/null" }]\nlanes: { gates: ${lanes > 2 ? 2 : 1} }\n`,
    script: JSON.stringify(tasks.map((task, at) => ({ when: { title: task.title }, steps: sessionOf(task, at) }))),
  });
  for (const [at, { needs }] of tasks.entries()) {
    const ids = needs.flatMap((need) => ["--needs", place.ids[need]!]);
    if (ids.length > 0) await place.task("dep", "add", place.ids[at]!, ...ids);
  }
  const run = await place.run("--lanes", String(lanes));
  const strange = run.outcomes.filter((outcome) => outcome !== "verified" && outcome !== "rejected");
  expect([run.code, run.finished?.ending, strange]).toEqual([0, "complete", []]);
  await expectSound(place);
  // The configuration names folders of this workspace.
  const isOurs = (line: string): boolean => line.includes("\t.ralph/");
  return place
    .git("ls-tree", "-r", "HEAD")
    .split("\n")
    .filter((line) => !isOurs(line));
}

test.concurrent.each(seeds)(
  "L-20 any graph of tasks that share no file comes to the same tree with 1, 2, 4 and 8 lanes (%i)",
  // About thirty sessions of four runs.
  { timeout: 600_000 },
  async (seed) => {
    const tasks = draw(randomBy(seed));
    const alone = await treeOf(tasks, 1);
    expect(alone.length).toBeGreaterThan(2 * tasks.length);
    for (const lanes of [2, 4, 8]) expect([lanes, await treeOf(tasks, lanes)]).toEqual([lanes, alone]);
  },
);
