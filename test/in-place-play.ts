import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { LaneTaken, type Lane } from "../src/lane/lane.ts";
import { SESSION_ACTION } from "../src/system/git/reflog.ts";
import { openRepository, type Repository } from "../src/system/git/repository.ts";
import { everythingIn } from "./everything-in.ts";
import { placeAt } from "./git-place.ts";
import { openLent } from "./lent-tree.ts";
import { copyFolder, git, temporaryFolder, temporaryRepository, write } from "./temporary-folder.ts";

const PERSON = ["save", "create", "stage", "commit", "amend", "stash", "pop", "rebase", "switch", "back"] as const;
const AGENT = ["agent writes", "agent commits", "agent stages", "agent switches"] as const;
const LANE = ["begin", "collect", "release"] as const;

type Step = (typeof PERSON)[number] | (typeof AGENT)[number] | (typeof LANE)[number];

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constantFrom(...PERSON), weight: 4 },
  { arbitrary: fc.constantFrom(...AGENT), weight: 2 },
  { arbitrary: fc.constantFrom(...LANE), weight: 3 },
);

interface Play {
  readonly folder: string;
  readonly home: Repository;
  /** Texts that the person wrote. */
  readonly texts: string[];
  lane: Lane;
  isLent: boolean;
  count: number;
}

/** T-41: a person and an agent in one lent tree. Nothing of the person's gets lost, and no commit leaves its branch. */
export async function playInPlace(numRuns: number): Promise<void> {
  const template = temporaryRepository({ "a.txt": "1\n", "b.txt": "2\n" });
  write(template, { "b.txt": "3\n" });
  git(template, "commit", "--quiet", "--all", "--message", "Second");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const folder = temporaryFolder();
      copyFolder(template, folder);
      const home = await openRepository(placeAt(folder));
      const play: Play = { folder, home, texts: [], lane: await openLent(home), isLent: false, count: 0 };
      try {
        await perform(play, [...steps, "release"]);
      } finally {
        await home.shells?.close();
      }
    }),
    { numRuns },
  );
}

async function perform(play: Play, steps: readonly Step[]): Promise<void> {
  for (const each of steps) {
    if (!isLaneStep(each)) {
      act(play, each);
      continue;
    }
    const before = branchesIn(play);
    const goesOn = await lane(play, each);
    checkBranches(play, before);
    const all = everythingIn(play.folder);
    expect(play.texts.filter((text) => !all.includes(text))).toEqual([]);
    if (!goesOn) return;
  }
}

const isLaneStep = (each: Step): each is (typeof LANE)[number] => LANE.some((name) => name === each);

/** False when the person took the tree away, which ends a run. */
async function lane(play: Play, each: (typeof LANE)[number]): Promise<boolean> {
  try {
    if (each === "begin") {
      const [head, tree] = ["main", "main^{tree}"].map((name) => run(play, {}, "rev-parse", name));
      await play.lane.begin({ head: head!, tree: tree! }, "t1");
      play.isLent = true;
    }
    if (each === "collect" && play.isLent) await play.lane.collect();
    if (each === "release") {
      await play.lane.release();
      play.isLent = false;
    }
    return true;
  } catch (error) {
    if (!(error instanceof LaneTaken)) throw error;
    await play.lane.release();
    return false;
  }
}

const run = ({ folder }: Play, env: Readonly<Record<string, string>>, ...args: readonly string[]): string =>
  execFileSync("git", [...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, ...env },
  }).trim();

/** Git may refuse: nothing to commit, changes in the way. */
function attempt(play: Play, env: Readonly<Record<string, string>>, ...args: readonly string[]): void {
  try {
    run(play, env, ...args);
  } catch {
    // refused
  }
}

function act(play: Play, each: Exclude<Step, (typeof LANE)[number]>): void {
  play.count += 1;
  const { count, folder } = play;
  const isAgents = AGENT.some((name) => name === each);
  if (isAgents && !play.isLent) return;
  const env = isAgents ? SESSION_ACTION : {};
  const saved = (path: string): void => {
    const text = `${isAgents ? "agent" : "person"}-${count}-wrote`;
    appendFileSync(join(folder, path), `${text}\n`);
    if (!isAgents) play.texts.push(text);
  };
  const steps: Readonly<Record<typeof each, () => void>> = {
    save: () => saved("a.txt"),
    create: () => saved(`new-${count}.txt`),
    stage: () => attempt(play, env, "add", "--all"),
    commit: () => attempt(play, env, "commit", "--quiet", "--all", "--message", `person ${count}`),
    amend: () => attempt(play, env, "commit", "--quiet", "--all", "--amend", "--message", `amended ${count}`),
    stash: () => attempt(play, env, "stash", "--include-untracked"),
    pop: () => attempt(play, env, "stash", "pop"),
    rebase: () => attempt(play, env, "rebase", "--quiet", "--force-rebase", "HEAD~1"),
    switch: () => attempt(play, env, "switch", "--quiet", "--create", `persons-${count}`),
    back: () => attempt(play, env, "switch", "--quiet", "main"),
    "agent writes": () => saved("b.txt"),
    "agent commits": () => attempt(play, env, "commit", "--quiet", "--all", "--message", `agent ${count}`),
    "agent stages": () => attempt(play, env, "add", "--all"),
    "agent switches": () => attempt(play, env, "switch", "--quiet", "--create", `agents-${count}`),
  };
  steps[each]();
}

interface Branches {
  readonly head: string;
  /** Commits that the person made, by branch. */
  readonly persons: ReadonlyMap<string, readonly string[]>;
}

function branchesIn(play: Play): Branches {
  const names = run(play, {}, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  const persons = names.map((name) => {
    const log = run(play, {}, "log", "--format=%H", "--perl-regexp", "--grep=^(person|amended) ", name);
    return [name, log.split("\n").filter((line) => line !== "")] as const;
  });
  return { head: run(play, {}, "rev-parse", "--symbolic-full-name", "HEAD"), persons: new Map(persons) };
}

function checkBranches(play: Play, before: Branches): void {
  const after = branchesIn(play);
  const lost = [...before.persons].map(([name, commits]) => {
    const left = after.persons.get(name) ?? [];
    return [name, commits.filter((commit) => !left.includes(commit))] as const;
  });
  expect(lost.filter(([, commits]) => commits.length > 0)).toEqual([]);
  if (before.head.includes("persons-")) expect(after.head).toBe(before.head);
}
