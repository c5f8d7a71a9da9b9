import { basename } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { SprintState, SprintStep } from "../domain/prompt/sprint.ts";
import { isMapping, type Mapping } from "../domain/mapping.ts";
import { shellWord } from "../domain/shell-word.ts";
import { kindOf } from "../system/folder.ts";
import { readSprintFiles, shapeOf, type SprintPlace } from "./sprint-files.ts";
import { textAt } from "./yaml-file.ts";

/** A sprint as its files show it now: PROGRESS.yaml, and SPRINT.yaml and the workflow where they exist. */
export async function readSprint(place: SprintPlace): Promise<Omit<SprintState, "iteration">> {
  if (place.shown === "" || (await kindOf(place.directory)) !== "folder") {
    throw new RalphError("usage", `The sprint folder ${JSON.stringify(place.shown)} does not exist`, {
      hint: "Give the folder that contains SPRINT.yaml or PROGRESS.yaml",
    });
  }
  const files = await readSprintFiles(place);
  if (!files.hasProgress) {
    throw new RalphError("usage", `PROGRESS.yaml not found in ${place.shown}`, {
      hint: `Run ralphctl sprint start ${shellWord(place.shown)}`,
    });
  }
  if (shapeOf(files) === "phases") {
    throw new RalphError(
      "usage",
      `The sprint in ${place.shown} has phases; only a sprint with a goal has this prompt`,
      { hint: `Run ralphctl run --dry-run --sprint ${shellWord(place.shown)}` },
    );
  }
  const { data: progress } = files.progress;
  const { data: sprint } = files.sprint;
  const own = { ...files.workflow?.data, ...sprint };
  return {
    id: textAt(progress, "sprint-id") ?? textAt(sprint, "sprint-id") ?? basename(place.directory),
    directory: place.shown,
    goal: textAt(progress, "goal") ?? textAt(sprint, "goal") ?? "",
    steps: stepsOf(place, progress),
    goalPrompt: textAt(own, "goal-prompt"),
    reflectionPrompt: textAt(own, "reflection-prompt"),
  };
}

function stepsOf(place: SprintPlace, progress: Mapping): SprintStep[] {
  const steps = progress["dynamic-steps"] ?? [];
  if (!Array.isArray(steps)) throw badSteps(place, "dynamic-steps is not a list");
  return steps.map((step: unknown, index) => {
    const prompt = isMapping(step) ? textAt(step, "prompt") : undefined;
    if (!isMapping(step) || prompt === undefined) throw badSteps(place, `step ${index + 1} has no prompt`);
    const status = textAt(step, "status") ?? "pending";
    if (status !== "pending" && status !== "completed") {
      throw badSteps(place, `step ${index + 1} has the status ${JSON.stringify(status)}`);
    }
    return { id: textAt(step, "id") ?? `step-${index}`, prompt, status };
  });
}

const badSteps = (place: SprintPlace, fault: string): RalphError =>
  new RalphError("data", `${place.shown}/PROGRESS.yaml cannot be used: ${fault}`, {
    hint: "Write a step as `{id: step-0, prompt: …, status: pending}`, with the status pending or completed",
  });
