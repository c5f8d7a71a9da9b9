import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { matches } from "../../domain/glob.ts";
import { namesInLine } from "../../domain/verdict-report.ts";
import { checkInside, entriesIn } from "../../system/folder.ts";
import { readPlan } from "../follow-plan.ts";
import { type PlanFile, planFile } from "../plan-file.ts";
import type { Finder, FoundItem, FinderPlace } from "./found.ts";

/** The plan file that is followed without being named. */
export const OWN_PLAN = "IMPLEMENTATION_PLAN.md";

/** The usual names of plan files, by folder. A new one is a word here. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "": [OWN_PLAN, "prd.json", "fix_plan.md", "@fix_plan.md", "plan.md", "PLAN.md"],
  ".ralph": ["prd.json", "fix_plan.md", "@fix_plan.md"],
  "scripts/ralph": ["prd.json"],
  plans: ["prd.json"],
};

/** Where Claude Code keeps plans, one file each. */
const PLANS = ".claude/plans";

/** Folders of Backlog.md, in which every file is a task. */
const FOLDERS = ["backlog/tasks", ".backlog/tasks"];

export const findPlans: Finder = async (place) => {
  const found: FoundItem[] = [];
  for (const [folder, names] of Object.entries(NAMES)) {
    const there = await entriesIn(join(place.root, folder));
    for (const name of names.filter((each) => there.includes(each))) {
      const file = folder === "" ? name : `${folder}/${name}`;
      found.push(...(await foundPlan(place, { written: file, files: [file] })));
    }
  }
  found.push(...(await claudePlans(place)));
  for (const folder of FOLDERS) {
    const files = (await entriesIn(join(place.root, folder))).filter((name) => name.endsWith(".md"));
    const all = files.map((name) => `${folder}/${name}`);
    if (all.length > 0) found.push(...(await foundPlan(place, { written: `${folder}/*.md`, files: all })));
  }
  return found;
};

/** Those with check boxes are plans like any other. Those in prose share a line: there may be many. */
async function claudePlans(place: FinderPlace): Promise<FoundItem[]> {
  const names = (await entriesIn(join(place.root, PLANS))).filter((name) => name.endsWith(".md")).toSorted();
  const files = names.map((name) => `${PLANS}/${name}`);
  const counts = await Promise.all(files.map(async (file) => await countsOf(place.root, file)));
  const isProse = (index: number): boolean => {
    const count = counts[index]!;
    return typeof count !== "string" && count.open + count.done === 0;
  };
  const lists = files.filter((_, index) => !isProse(index));
  const plans = await Promise.all(lists.map(async (file) => await foundPlan(place, { written: file, files: [file] })));
  const prose = names.filter((_, index) => isProse(index));
  if (prose.length === 0) return plans.flat();
  const what = `plans in prose: ${namesInLine(prose, MOST_NAMED)}`;
  return [
    ...plans.flat(),
    { name: `${PLANS}/`, what, use: `To work on one: ralphctl run --file ${PLANS}/${prose[0]}` },
  ];
}

const MOST_NAMED = 3;

interface Written {
  /** As `plan` would name it. */
  readonly written: string;
  readonly files: readonly string[];
}

async function foundPlan(place: FinderPlace, { written, files }: Written): Promise<FoundItem[]> {
  const all = await Promise.all(files.map(async (file) => await countsOf(place.root, file)));
  const problem = all.find((each) => typeof each === "string");
  if (problem !== undefined) return [{ name: written, what: problem, use: "ralphctl goes on without it" }];
  const counts = all.filter((each) => typeof each !== "string");
  const open = sum(counts.map((each) => each.open));
  const done = sum(counts.map((each) => each.done));
  if (open + done === 0) {
    if (written === OWN_PLAN) return [];
    const use = `nothing in it is a task. To work on it as a whole: ralphctl run --file ${written}`;
    return [{ name: written, what: "no check boxes", use }];
  }
  const what = `${open} open, ${done} done`;
  const use = "followed: ralphctl marks in it what is proven";
  if (place.plan === undefined) return [{ name: written, what, use, plan: written }];
  if (isFollowed(place.plan, written)) return [{ name: written, what, use }];
  const others = place.plan === "auto" ? [OWN_PLAN] : place.plan;
  const list = [...others, written].map((each) => JSON.stringify(each)).join(", ");
  return [{ name: written, what, use: `not followed. To follow it: plan: [${list}] in .ralph/config.yaml` }];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

const isFollowed = (plan: NonNullable<FinderPlace["plan"]>, written: string): boolean =>
  plan === "auto" ? written === OWN_PLAN : plan.some((each) => each === written || matches(each, written));

/** How many tasks a file has, or why that cannot be said. */
async function countsOf(
  root: string,
  name: string,
): Promise<{ readonly open: number; readonly done: number } | string> {
  const file: PlanFile = planFile({ root, file: name });
  try {
    await checkInside(root, file.path);
    const read = await readPlan(file);
    if (!("reading" in read)) return "message" in read ? read.message : "gone";
    const tasks = read.reading.entries.filter(({ kind }) => kind === "task");
    const done = tasks.filter(({ status }) => status === "done" || status === "dropped").length;
    return { open: tasks.length - done, done };
  } catch (error) {
    if (error instanceof RalphError) return error.message;
    throw error;
  }
}
