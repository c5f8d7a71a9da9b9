import { join } from "node:path";
import { appendSteps } from "../../plan/plan.ts";
import { checkInside, kindOf, replaceText, writeAtomic } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import { readYaml, writeYaml } from "../../system/yaml-text.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { knownSteps, type ProgressPlace, restoreProgress, setMarks } from "./restore-progress.ts";

export interface StartPlace extends ProgressPlace {
  readonly sprint: OpenSprint;
}

/** What was done with PROGRESS.yaml. */
export type ProgressStart = "created" | "restored" | "extended" | "kept";

/** Creates PROGRESS.yaml if missing, and adds the phases if it has none; the rest of the file stays. */
export async function startProgress(place: StartPlace): Promise<ProgressStart> {
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

async function writeFirst(place: StartPlace): Promise<void> {
  const { root, sprint } = place;
  const known = await knownSteps(place);
  const text = firstText(sprint);
  const isListed = sprint.definition.shape === "phases";
  await writeAtomic(join(root, sprint.file), isListed ? text : appendSteps(text, known));
  if (known.length > 0) await setMarks(place);
}

const LIMIT_BYTES = 4 * 1024 * 1024;

const HEAD =
  "# The sprint's progress. ralphctl keeps it in sync with its tasks; you can add steps at any time, even during a run.\n";

function firstText(sprint: OpenSprint): string {
  const { id, workflow, shape, goal } = sprint.definition;
  const head = {
    "sprint-id": id,
    ...(workflow !== undefined && { workflow }),
    ...(shape === "ralph" && { mode: "ralph" }),
    ...(goal !== "" && { goal }),
  };
  return `${HEAD}${writeYaml(head)}${shape === "ralph" ? "dynamic-steps: []\n" : phasesText(sprint)}`;
}

const phasesText = ({ definition }: OpenSprint): string =>
  writeYaml({ phases: definition.phases.map(({ id, prompt }) => ({ id, prompt, status: "pending" })) });
