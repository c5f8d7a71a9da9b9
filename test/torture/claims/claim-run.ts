import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { NewTask } from "../../../src/domain/task-input.ts";
import { marked } from "../../../src/system/process/sweep.ts";
import { type LoopRun, loopWorkspace, type LoopWorkspace, runOf } from "../../loop-workspace.ts";
import { type, typed } from "../../recording-io.ts";
import { copyFolder, git, temporaryFolder, temporaryRepository, write } from "../../temporary-folder.ts";
import type { ClaimCase, Word } from "./claim-case.ts";
import { toolsFolder } from "./place-tools.ts";
import { type ClaimPlace, PLACES } from "./places.ts";

/** What came of a claim. */
export interface ClaimEnd {
  readonly word: Word;
  /** All that the verdict says. */
  readonly said: string;
  /** The word that its commit must have. */
  readonly called?: string;
}

/** What came of the cases of one run. */
export interface Played {
  readonly ends: ReadonlyMap<string, ClaimEnd>;
  readonly run: LoopRun;
  /** What is the person's, before and after the run. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly left: readonly number[];
  /** The trailer `Ralph-Proof` of each commit. */
  readonly proofs: ReadonlyMap<string, string>;
}

/** What a session does about the task of its title. */
export interface Play extends Pick<ClaimCase, "name" | "edits" | "task" | "message"> {
  /** Whether the base is restored afterwards, because the work may land. */
  readonly mayLand: boolean;
}

const LANDED: ReadonlySet<Word> = new Set(["proven", "unbroken", "look"]);

const lands = ({ ends }: ClaimCase): boolean => ends.words.some((word) => LANDED.has(word));

/** Whether a case has a run of its own. */
export const isAlone = (one: ClaimCase): boolean =>
  one.alone === true ||
  one.config !== undefined ||
  one.ends.words.includes("none") ||
  (placeOf(one).isRed === true && lands(one));

/** Plays cases of one place, each as a task of one run. Those that land are taken back by a task that may do so. */
export async function playClaims(place: ClaimPlace, cases: readonly ClaimCase[]): Promise<Played> {
  const plays = cases.map((one) => ({ ...one, mayLand: cases.length > 1 && lands(one) }));
  return await playAll(place, plays, cases[0]?.config);
}

export async function playAll(place: ClaimPlace, plays: readonly Play[], config = ""): Promise<Played> {
  const workspace = await claimWorkspace(place, plays, config);
  const tasks = plays.flatMap(({ name, task, mayLand }) => [
    { title: name, ...task },
    ...(mayLand ? [{ title: `restore ${name}`, mayChange: ["**"], allowNoChange: true }] : []),
  ]);
  // With a task that is left over, the run ends at its limit and has nothing to check once more.
  const added = plays.length > 1 ? [...tasks, { title: "left over" }] : tasks;
  await addTasks(workspace, added);
  const before = personsGoods(workspace.folder);
  const env = { PATH: [toolsFolder(), process.env["PATH"]].join(delimiter) };
  const args = ["run", "--json", "--max-iterations", String(tasks.length)];
  const run = runOf(workspace.folder, await typed(args, { cwd: workspace.folder, env }));
  return {
    ends: new Map(plays.map(({ name }) => [name, endOf(run, name)])),
    run,
    before,
    after: personsGoods(workspace.folder),
    left: marked({ name: "RALPHCTL_RUN", value: run.name }),
    proofs: proofsIn(workspace.folder),
  };
}

async function claimWorkspace(place: ClaimPlace, plays: readonly Play[], config: string): Promise<LoopWorkspace> {
  const gates = Object.entries(place.gates).map(([id, run]) => `  - { id: ${id}, run: ${JSON.stringify(run)} }\n`);
  const say = { say: "<task-done>{task}</task-done>" };
  const sessions = plays.map(({ name, edits, message }) => ({
    when: { title: name },
    steps: [{ run: edits }, message === undefined ? say : { say: message }],
  }));
  const workspace = await loopWorkspace({
    tasks: [],
    files: { ...place.files, "mine.txt": "mine\n" },
    config: `gates:${gates.length === 0 ? " auto" : ""}\n${gates.join("")}limits: { attempts: 1, noProgress: 10000, errors: 10000 }\n${place.config ?? ""}${config}`,
    script: JSON.stringify([...sessions, { when: { title: "restore *" }, steps: [{ run: RESTORE }, say] }]),
  });
  const { folder } = workspace;
  // A person at work: a stash, a branch, a hook, a setting, a changed file, a staged one and a new one.
  write(folder, { "mine.txt": "stashed\n" });
  git(folder, "stash", "--quiet");
  git(folder, "branch", "mine");
  git(folder, "config", "persons.setting", "mine");
  write(folder, { "mine.txt": "mine, changed\n", "staged.txt": "staged\n", ".git/hooks/post-merge": "#!/bin/sh\n" });
  git(folder, "add", "staged.txt");
  write(folder, { "untracked.txt": "untracked\n" });
  return workspace;
}

/** The tree that the run began with. */
const RESTORE = `base=$(git rev-list HEAD --grep='^Make a workspace$' | tail -n 1)
git rm -rfq . ; git checkout -q "$base" -- .`;

async function addTasks({ folder }: LoopWorkspace, tasks: readonly Partial<NewTask>[]): Promise<void> {
  const input = tasks.map((task) => JSON.stringify(task)).join("\n");
  const { code, stderr } = await type(["task", "add", "-"], { cwd: folder, input });
  if (code !== 0) throw new Error(stderr);
}

/** All that a run must leave as it is. */
function personsGoods(folder: string): Record<string, string> {
  const read = (path: string): string =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : "gone";
  const refs = git(folder, "for-each-ref", "--format=%(refname) %(objectname)");
  return {
    "mine.txt": read("mine.txt"),
    "untracked.txt": read("untracked.txt"),
    staged: git(folder, "diff", "--cached", "--name-status", "HEAD", "--", "staged.txt"),
    stash: git(folder, "stash", "list", "--format=%H"),
    branch: git(folder, "symbolic-ref", "HEAD"),
    refs: refs
      .split("\n")
      .filter((ref) => !/^refs\/(?:ralph|heads\/main )/.test(ref))
      .join("\n"),
    setting: git(folder, "config", "persons.setting"),
    hooks: readdirSync(join(folder, ".git/hooks")).join(" "),
    config: read(".ralph/config.yaml"),
  };
}

function proofsIn(folder: string): Map<string, string> {
  const lines = git(folder, "log", "--format=%H %(trailers:key=Ralph-Proof,valueonly,separator=%x2c)").split("\n");
  return new Map(lines.map((line) => [line.slice(0, 40), line.slice(41)]));
}

/** The word in the trailer of the commit of a task. */
export function proofOf({ run, proofs }: Played, title: string): string | undefined {
  const finished = run.events.findLast((event) => event.type === "iteration.finished" && event.task?.title === title);
  const commit = finished?.type === "iteration.finished" ? finished.commit : undefined;
  return commit === undefined ? undefined : proofs.get(commit);
}

function endOf({ events }: LoopRun, title: string): ClaimEnd {
  const finished = events.findLast((event) => event.type === "iteration.finished" && event.task?.title === title);
  if (finished?.type !== "iteration.finished") {
    const parked = events.some(
      (event) =>
        event.type === "tasks.changed" && event.change === "parked" && event.tasks.some((task) => task.title === title),
    );
    return { word: parked ? "parked" : "none", said: parked ? "without a session" : "" };
  }
  const { iteration, outcome, strength, question } = finished;
  const verdict = events.findLast((event) => event.type === "verdict.reached" && event.iteration === iteration);
  const reasons = verdict?.type === "verdict.reached" ? verdict.reasons : [];
  const said = reasons.length > 0 ? reasons.join("; ") : (question ?? finished.reason ?? outcome);
  if (outcome === "verified") return { word: strength ?? "none", said, ...(strength && { called: strength }) };
  if (outcome === "parked") return { word: said.startsWith("May it change ") ? "asked" : "parked", said };
  return { word: outcome === "rejected" ? "rejected" : "none", said };
}

/**
 * What a fresh clone with the base's checks says of a candidate: the base's files, with the candidate's sources in their
 * place, and the gates run there.
 */
export async function truthOf(place: ClaimPlace, edits: string): Promise<"red" | "green"> {
  const base = temporaryRepository({ ...place.files, "mine.txt": "mine\n" });
  const [candidate, home, fresh] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  for (const folder of [candidate, home, fresh]) copyFolder(base, folder);
  await shell(edits, candidate, home);
  const paths = [base, candidate].flatMap((folder) => filesIn(folder).filter((path) => place.sources.test(path)));
  const sources = [...new Set(paths)];
  const script = sources.map(
    (path) => `rm -f '${path}'; mkdir -p "$(dirname '${path}')"; cp -P '${candidate}/${path}' '${path}'`,
  );
  await shell([...script, place.prepare ?? ""].join("\n"), fresh);
  for (const gate of Object.values(place.gates)) if ((await shell(gate, fresh)) !== 0) return "red";
  return "green";
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      !path.startsWith(".git/") && statSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() !== true,
  );

const shell = async (command: string, cwd: string, home = cwd): Promise<number> =>
  await new Promise((resolve) => {
    const env = { PATH: [toolsFolder(), process.env["PATH"]].join(delimiter), HOME: home };
    execFile("/bin/sh", ["-c", command], { cwd, env }, (error) =>
      resolve(error === null ? 0 : Number(error.code ?? 1)),
    );
  });

export const placeOf = ({ place }: ClaimCase): ClaimPlace => PLACES[place];
