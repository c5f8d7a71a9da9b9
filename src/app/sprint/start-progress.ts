import { join } from "node:path";
import type { SprintItem, SprintPhase } from "../../domain/prompt/phase.ts";
import { appendSteps, type NewStep } from "../../plan/plan.ts";
import type { Store } from "../../store/store.ts";
import { checkInside, kindOf, pathExists, replaceText, writeAtomic } from "../../system/folder.ts";
import { expectFile } from "../../system/git/expected-file.ts";
import { readTextFile } from "../../system/text-file.ts";
import { readYaml, writeYaml } from "../../system/yaml-text.ts";
import { followPlan } from "../follow-plan.ts";
import { readLastGood } from "./last-good.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { promptOf } from "./write-steps.ts";

export interface ProgressPlace {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** The scope's key. */
  readonly scope: string;
  readonly sprint: OpenSprint;
}

/** What was done with PROGRESS.yaml. */
export type ProgressStart = "created" | "restored" | "extended" | "kept";

/** Creates PROGRESS.yaml if missing, and adds the phases if it has none; the rest of the file stays. */
export async function startProgress(place: ProgressPlace): Promise<ProgressStart> {
  const { root, sprint } = place;
  const path = join(root, sprint.file);
  await checkInside(root, path);
  if (await restoreProgress(place)) return "restored";
  if ((await kindOf(path)) === undefined) {
    await writeFirst(place);
    return "created";
  }
  if (sprint.definition.phases.length === 0) return "kept";
  const from = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: sprint.file, keepsByteOrderMark: true });
  const yaml = readYaml(from ?? "");
  const data = yaml.kind === "read" ? yaml.data : undefined;
  const hasPhases = typeof data === "object" && data !== null && Object.hasOwn(data, "phases");
  if (from === undefined || yaml.kind !== "read" || hasPhases) return "kept";
  const to = `${from}${from === "" || from.endsWith("\n") ? "" : "\n"}${phasesText(sprint)}`;
  return (await replaceText(path, { from, to })) === "written" ? "extended" : "kept";
}

async function writeFirst(place: ProgressPlace): Promise<void> {
  const { root, sprint } = place;
  const known = await knownSteps(place);
  const text = firstText(sprint);
  const isListed = sprint.definition.shape === "phases";
  await writeAtomic(join(root, sprint.file), isListed ? text : appendSteps(text, known));
  if (known.length > 0) await setMarks(place);
}

export const LIMIT_BYTES = 4 * 1024 * 1024;

const HEAD =
  "# The sprint's progress. ralphctl keeps it in sync with its tasks; you can add steps at any time, even during a run.\n";

/** The loop keeps them. */
const FIRST = "status: not-started\ncurrent: { phase: 0, step: null, sub-phase: null }\n";

function firstText(sprint: OpenSprint): string {
  const { id, workflow, shape, goal } = sprint.definition;
  const head = {
    "sprint-id": id,
    ...(workflow !== undefined && { workflow }),
    ...(shape === "ralph" && { mode: "ralph" }),
    ...(goal !== "" && { goal }),
  };
  return `${HEAD}${writeYaml(head)}${shape === "ralph" ? "dynamic-steps: []\n" : `${FIRST}${phasesText(sprint)}`}`;
}

const phasesText = ({ definition }: OpenSprint): string => writeYaml({ phases: definition.phases.map(phaseEntry) });

const phaseEntry = ({ id, prompt, steps }: SprintPhase): object =>
  steps === undefined ? leafEntry({ id, prompt }) : { id, status: "pending", steps: steps.map(itemEntry) };

const itemEntry = ({ id, prompt, needs, phases }: SprintItem): object => ({
  ...leafEntry({ id, prompt }),
  ...(needs !== undefined && { "depends-on": needs }),
  ...(phases !== undefined && { phases: phases.map(leafEntry) }),
});

const leafEntry = ({ id, prompt }: Pick<SprintPhase, "id" | "prompt">) => ({ id, prompt, status: "pending" });

/**
 * Restores the last PROGRESS.yaml if the file is gone: without it, the tasks of its steps would be dropped. Returns false
 * if the file exists or there is no copy.
 */
export async function restoreProgress(place: ProgressPlace): Promise<boolean> {
  const { root, sprint } = place;
  const path = join(root, sprint.file);
  await checkInside(root, path);
  if (pathExists(path)) return false;
  const text = await readLastGood(sprint.lastGood);
  if (text === undefined) return false;
  // A rebase of the person may have taken it away for a moment, and would stop at a file in its place.
  if ((await expectFile(path, async () => pathExists(path) || undefined)) !== undefined) return false;
  await writeAtomic(path, text);
  await setMarks(place);
  return true;
}

/** Updates the marks: the restored text may be older than the last verdict, and a missing mark would reopen its step. */
async function setMarks({ store, root, scope, sprint }: ProgressPlace): Promise<void> {
  await followPlan({ store, root, file: sprint.file, scope, editor: "agent" });
}

export const restoredText = ({ file }: Pick<OpenSprint, "file">): string =>
  `${file} was missing; its last version was restored`;

/** The steps of existing tasks, for when the file and its copy are gone. */
async function knownSteps({ store, sprint }: ProgressPlace): Promise<NewStep[]> {
  const steps: NewStep[] = [];
  for await (const task of store.each({ sourceFile: sprint.file })) {
    const id = task.source?.key.startsWith(BY_ID) === true ? task.source.key.slice(BY_ID.length) : undefined;
    if (id === undefined || task.status === "dropped") continue;
    const addedAt = new Date(task.createdAt).toISOString().replace(/\.\d+Z$/, "Z");
    steps.push({ id, prompt: promptOf(task), addedAt, addedInIteration: undefined });
  }
  return steps;
}

const BY_ID = "id:";
