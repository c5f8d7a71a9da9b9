import { expect, test } from "vitest";
import { DONE, eventsOf, seen, sh } from "../hostile-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { landedTwice, unproven } from "../torture/landing-history.ts";
import { oneOf, randomBy } from "../torture/persons-desk.ts";

// The same draws each time; others by RALPH_SEED and RALPH_DRAWS.
const FIRST = Number(process.env["RALPH_SEED"] ?? 1);
const seeds = Array.from({ length: Number(process.env["RALPH_DRAWS"] ?? 8) }, (_, index) => FIRST + index);

interface Drawn {
  readonly title: string;
  /** The places of the tasks that it needs, all before its own. */
  readonly needs: readonly number[];
  /** The shared files to which it adds its line. */
  readonly shared: readonly string[];
  /** Whether its first claim is red. */
  readonly isRedFirst: boolean;
}

const SHARED = ["one.txt", "two.txt"];

function draw(random: () => number): Drawn[] {
  const count = 4 + Math.floor(random() * 4);
  return Array.from({ length: count }, (_, at) => ({
    title: `Task ${at}`,
    needs: Array.from({ length: at }, (__, other) => other).filter(() => random() < 0.25),
    shared: SHARED.filter(() => random() < 0.4),
    isRedFirst: random() < 0.25,
  }));
}

/** Adds its line where it is not yet, as an agent would that finds its earlier work, or does not. */
const sessionOf = ({ title, shared, isRedFirst }: Drawn): readonly Record<string, unknown>[] => [
  sh(
    [
      `name='${title}'`,
      ...shared.map((file) => `grep -qx "$name" ${file} || echo "$name" >>${file}`),
      `file="out/$(echo "$name" | tr ' ' -).txt"; mkdir -p out`,
      isRedFirst ? 'if [ -f "$file" ]; then rm -f "$file.bad"; else echo x >"$file.bad"; fi' : ":",
      'echo "$name" >"$file"',
    ].join("; "),
  ),
  DONE,
];

/** What the tasks come to one after the other. */
function sequential(tasks: readonly Drawn[]): Record<string, string> {
  const files: Record<string, string> = Object.fromEntries(SHARED.map((file) => [file, "begin\n"]));
  for (const { title, shared } of tasks) {
    for (const file of shared) files[file] += `${title}\n`;
    files[`out/${title.replaceAll(" ", "-")}.txt`] = `${title}\n`;
  }
  return files;
}

const filesOf = (place: LoopWorkspace, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, `${place.git("show", `HEAD:${path}`)}\n`]));

test.concurrent.each(seeds)(
  "L-20 L-25 any graph in several lanes: each commit is proven, the order is one that the graph allows, and the files are those of that order (%i)",
  async (seed) => {
    const random = randomBy(seed);
    const tasks = draw(random);
    const place = await loopWorkspace({
      tasks: tasks.map(({ title }) => title),
      files: Object.fromEntries(SHARED.map((file) => [file, "begin\n"])),
      // A session whose earlier work conflicts begins without it, and so is red again.
      config: `gates: [{ id: test, run: "! ls out/*.bad 2>/dev/null" }]\nlanes: { gates: ${oneOf(random, ["1", "2"])} }\nlimits: { attempts: 20 }\n`,
      script: JSON.stringify(tasks.map((task) => ({ when: { title: task.title }, steps: sessionOf(task) }))),
    });
    for (const [at, { needs }] of tasks.entries()) {
      const ids = needs.flatMap((need) => ["--needs", place.ids[need]!]);
      if (ids.length > 0) await place.task("dep", "add", place.ids[at]!, ...ids);
    }
    const lanes = oneOf(random, ["2", "3", "5"]);
    const run = await place.run("--lanes", lanes);
    const { code, states, commits } = await seen(place, run);
    expect([code, Object.values(states).every((state) => state === "done")]).toEqual([0, true]);
    expect(commits.toSorted()).toEqual(tasks.map(({ title }) => title).toSorted());
    const order = commits.map((title) => tasks.findIndex((task) => task.title === title));
    const isAllowed = order.every((task, at) => tasks[task]!.needs.every((need) => order.indexOf(need) < at));
    expect([isAllowed, eventsOf(run, "run.finished")[0]?.ending]).toEqual([true, "complete"]);
    const expected = sequential(order.map((task) => tasks[task]!));
    expect(filesOf(place, Object.keys(expected))).toEqual(expected);
    expect([await unproven(place.folder, { isGreen: () => false }), landedTwice(place.folder)]).toEqual([[], []]);
    expect([place.git("status", "--porcelain"), place.git("ls-tree", "-r", "--name-only", "HEAD", "out/")]).toEqual([
      "",
      Object.keys(expected)
        .filter((path) => path.startsWith("out/"))
        .toSorted()
        .join("\n"),
    ]);
  },
);
