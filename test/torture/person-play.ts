import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { RunFinished } from "../../src/domain/run/event.ts";
import { keepReport } from "../kill-report.ts";
import { runAndDie } from "../killed-run.ts";
import { startLive } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { git } from "../temporary-folder.ts";
import { brokenRefs, landedTwice, movesOf, unproven, wrongMoves } from "./landing-history.ts";
import { type Person, personAt } from "./person.ts";
import { oneOf, randomBy } from "./persons-desk.ts";

const NAMES = ["one", "two", "three", "four"];
const BAD = "bad.txt";
const PLAN = "IMPLEMENTATION_PLAN.md";

/**
 * A session that works for a while; its files may be files of the person's too. In a lent tree it only adds lines: nobody
 * could keep what an agent overwrites there.
 */
function session(name: string, random: () => number, isLent: boolean): unknown {
  const line = 10 * (NAMES.indexOf(name) + 1);
  const ways = isLent
    ? [`echo ${name} >>shared.txt`, `echo ${name} >>README.md`, `echo ${name} >>a.txt`]
    : [`sed -i '${line}s/.*/agent ${name}/' shared.txt`, `echo ${name} >README.md`, `echo ${name} >>a.txt`];
  const out = { path: `out/${name}.txt`, text: `${name}\n` };
  return {
    when: { title: `Write ${name}*` },
    steps: [
      { delayMs: Math.floor(random() * 400) },
      isLent ? { append: out } : { write: out },
      { run: oneOf(random, ways) },
      ...(random() < 0.3 ? [{ run: "git add --all && git commit --quiet --message Own" }] : []),
      { delayMs: Math.floor(random() * 400) },
      { say: "<task-done>{task}</task-done>" },
    ],
  };
}

const numbered = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");

const workspaceFor = async (random: () => number, lanes: number, isLent: boolean): Promise<LoopWorkspace> =>
  await loopWorkspace({
    tasks: [],
    files: {
      [PLAN]: `# Plan\n\n${NAMES.map((name) => `- [ ] Write ${name}\n`).join("")}\nNotes\n`,
      "shared.txt": `${numbered}\n`,
      "a.txt": "a\n",
    },
    config: `gates:\n  - { id: test, run: "sleep 0.1; test ! -f ${BAD}" }\nlanes: { count: ${lanes} }\n`,
    script: JSON.stringify([
      ...NAMES.map((name) => session(name, random, isLent)),
      [{ append: { path: "more.txt", text: "more\n" } }, { say: "<task-done>{task}</task-done>" }],
    ]),
  });

interface Play {
  readonly seed: number;
  readonly place: LoopWorkspace;
  readonly person: Person;
  readonly random: () => number;
  readonly acts: string[];
  /** The run works in the person's own tree. */
  readonly isLent: boolean;
}

async function openPlay(seed: number, isLent = false): Promise<Play> {
  const random = randomBy(seed);
  // Every second play has several agents at once, whose files are often the same.
  const place = await workspaceFor(random, seed % 2 === 0 ? 3 : 1, isLent);
  // What the person takes off the branch must not be the workspace itself.
  for (let count = 0; count < 15; count += 1) place.git("commit", "--quiet", "--allow-empty", "--message", "Earlier");
  return { seed, place, person: personAt(place.folder, random, String(seed)), random, acts: [], isLent };
}

/** The person works at random moments of a run. Everything that was not as it must be. */
export async function playPerson(seed: number): Promise<readonly unknown[]> {
  return await playBeside(await openPlay(seed), []);
}

/** L-01: the same in a tree that is lent to the run. Nobody can tell there whose line is whose. */
export async function playLent(seed: number): Promise<readonly unknown[]> {
  return await playBeside(await openPlay(2 * seed + 1, true), ["--in-place"]);
}

async function playBeside(play: Play, args: readonly string[]): Promise<readonly unknown[]> {
  const { place, person, random, acts } = play;
  const wrong: unknown[] = [];
  const run = startLive(place.folder, ...args);
  // Its branch is the one that the person is on when it begins.
  await run.says("run.started");
  while (wrong.length === 0) {
    const isOver = await Promise.race([wait(random() * 500, false), run.ended.then(() => true)]);
    if (isOver) break;
    acts.push(await person.act());
    wrong.push(...(await lostLines(place.folder, person)).map((line) => `lost after ${acts.length} acts: ${line}`));
  }
  const first = await run.ended;
  return await endPlay(play, { first, wrong: [...wrong, ...wrongEnd(first)] });
}

/** A run is killed at a random moment, the person works, and the next run goes on. */
export async function playKilled(seed: number): Promise<readonly unknown[]> {
  const play = await openPlay(seed);
  const { place, person, random, acts } = play;
  const whole = random() < 0.5;
  await runAndDie(place.folder, { afterMs: 300 + random() * 6000, whole });
  for (let count = Math.floor(random() * 3); count > 0; count -= 1) acts.push(await person.act());
  return await endPlay(play, { first: undefined, wrong: await lostLines(place.folder, person) });
}

/** An agent commits in the lent tree on whatever branch is there, and ralphctl takes its commits off again. */
const OF_LOAN = /, ralphctl(?:-session: |: take the tree back$)/;

/** The person has gone home: the next run completes the work, or says what it needs. */
async function endPlay(
  { seed, place, person, acts, isLent }: Play,
  { first, wrong: before }: { readonly first: LoopRun | undefined; readonly wrong: readonly unknown[] },
): Promise<readonly unknown[]> {
  const { folder } = place;
  await person.settle();
  const last = await place.run();
  const broken = brokenRefs(folder);
  if (broken.length > 0) return [...before, ...broken, acts];
  const isGreen = (commit: string): boolean => !git(folder, "ls-tree", "--name-only", commit).includes(BAD);
  const wrong = [
    ...before,
    // Killed before it had read the plan, which the person then took away: nobody knows of a task.
    ...(last.finished?.ending === "nothing" && !existsSync(join(folder, PLAN)) ? [] : wrongEnd(last)),
    ...(await lostLines(folder, person)),
    ...(isLent ? [] : takenLines(folder)),
    ...(await unproven(folder, { isGreen })),
    ...wrongMoves(folder).filter((move) => !isLent || !OF_LOAN.test(move)),
    // Work that the person reverted is to be done again.
    ...(acts.includes("begin a revert") ? [] : landedTwice(folder)),
  ];
  const runs = first === undefined ? [last] : [first, last];
  return wrong.length === 0 ? [] : [...wrong, reportOf(place, { seed, acts, runs, wrong })];
}

/** A run must end by itself, complete or with a sentence about what the person can do. */
function wrongEnd({ code, finished, stderr }: LoopRun): string[] {
  if (finished === undefined) return [`no end, code ${code}: ${stderr}`];
  return isComplete(finished) || isForPerson(finished) ? [] : [`ended ${finished.ending}: ${finished.reason}`];
}

/** T-15: on a branch that they began elsewhere, done tasks may be missing. */
const isComplete = ({ ending, look = [] }: RunFinished): boolean =>
  ending === "complete" || (ending === "unverified" && look.every(({ standing }) => standing === "elsewhere"));

const isForPerson = ({ ending, reason, help = [], waiting, notFollowing }: RunFinished): boolean =>
  ending === "blocked" && reason !== "" && help.length + waiting.length + (notFollowing?.length ?? 0) > 0;

/** Lines of the person's that are in no file, no index, no stash, no ref and no reflog. */
async function lostLines(folder: string, { lines }: Person): Promise<string[]> {
  const missing = (): string[] => {
    const all = `${filesIn(folder)}${objectsIn(folder)}`;
    return [...lines].filter((line) => !all.includes(line));
  };
  if (missing().length === 0) return [];
  // A file is not there while git puts another in its place.
  await wait(300);
  return missing();
}

function filesIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git") && !entry.name.includes("ralph.db"))
    .map((entry) => textOf(join(entry.parentPath, entry.name)))
    .join("\n");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it is gone already
  }
}

function objectsIn(folder: string): string {
  // A rebase names what it has set aside in a file.
  const refs = "--all --reflog --indexed-objects $(cat .git/rebase-merge/autostash 2>/dev/null)";
  const list = `git rev-list --objects ${refs} | cut -d ' ' -f 1 | git cat-file --batch`;
  return execFileSync("sh", ["-c", list], { cwd: folder, encoding: "latin1", maxBuffer: 1e8 });
}

/** Lines of the person's in files of a commit of ours that no parent of it has: they were not committed. */
function takenLines(folder: string): string[] {
  const args = ["log", "--all", "--grep=^Ralph-Run:", "--format=%H %P"];
  // An amended or rebased commit of ours is the person's.
  const theirs = new Set(movesOf(folder, "HEAD").flatMap(({ to, message }) => (isFollow(message) ? [] : [to])));
  return git(folder, ...args)
    .split("\n")
    .filter((entry) => entry !== "" && !theirs.has(entry.split(" ")[0]!))
    .flatMap((entry) => {
      const [commit = "", ...parents] = entry.split(" ");
      const known = new Set(parents.flatMap((parent) => personsLines(folder, parent)));
      const taken = personsLines(folder, commit).filter((line) => !known.has(line));
      return taken.map((line) => `${commit} has ${line}`);
    });
}

const isFollow = (message: string): boolean => message.startsWith("ralphctl");

function personsLines(folder: string, commit: string): string[] {
  try {
    return git(folder, "grep", "--no-color", "-h", "-o", "-E", "person-[0-9-]+\\.", commit).split("\n");
  } catch {
    return []; // it has none
  }
}

interface Report {
  readonly seed: number;
  readonly acts: readonly string[];
  readonly runs: readonly LoopRun[];
  readonly wrong: readonly unknown[];
}

function reportOf({ folder }: LoopWorkspace, { seed, acts, runs, wrong }: Report): string {
  const events = runs.map((run) => run.events.filter(({ type }) => !type.startsWith("agent.")));
  const log = git(folder, "log", "--all", "--graph", "--format=%h %s %d").split("\n");
  const reflog = git(folder, "reflog", "--format=%h %gd %gs").split("\n");
  return keepReport("person", { seed, acts, wrong, log, reflog, events, stderr: runs.map(({ stderr }) => stderr) });
}
