import { basename, join } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { SprintState, SprintStep } from "../domain/prompt/sprint.ts";
import { kindOf } from "../system/folder.ts";
import { readWorkflow } from "./workflow.ts";
import { isMapping, type Mapping, readYamlFile, textAt } from "./yaml-file.ts";

/** Where a sprint and the workflows that it may name are. */
export interface SprintPlace {
  /** The sprint's folder. */
  readonly directory: string;
  /** The same as the user wrote it, for messages and for commands in prompts. */
  readonly shown: string;
  /** What the sprint's files may not lead out of: the workspace, or the sprint's own folder where that lies outside. */
  readonly root: string;
  /** Folders with workflow files, in the order in which they are searched. */
  readonly workflows: readonly string[];
}

/** A sprint as its files show it now: PROGRESS.yaml, and SPRINT.yaml and the workflow where they exist. */
export async function readSprint(place: SprintPlace): Promise<Omit<SprintState, "iteration">> {
  if (place.shown === "" || (await kindOf(place.directory)) !== "folder") {
    throw new RalphError("usage", `The sprint folder ${JSON.stringify(place.shown)} does not exist`, {
      hint: "Give the folder that contains PROGRESS.yaml",
    });
  }
  const progress = await readMapping(place, "PROGRESS.yaml");
  if (progress === undefined) {
    throw new RalphError("usage", `PROGRESS.yaml not found in ${place.shown}`, {
      hint: "Create it with a line `goal: …`",
    });
  }
  const sprint = (await readMapping(place, "SPRINT.yaml")) ?? {};
  const workflow = await readWorkflow(place, textAt(sprint, "workflow") ?? textAt(progress, "workflow"));
  const own = { ...workflow?.data, ...sprint };
  return {
    id: textAt(progress, "sprint-id") ?? textAt(sprint, "sprint-id") ?? basename(place.directory),
    directory: place.shown,
    goal: textAt(progress, "goal") ?? textAt(sprint, "goal") ?? "",
    steps: stepsOf(place, progress),
    goalPrompt: textAt(own, "goal-prompt"),
    reflectionPrompt: textAt(own, "reflection-prompt"),
  };
}

async function readMapping(place: SprintPlace, name: string): Promise<Mapping | undefined> {
  const { directory, shown, root } = place;
  return (await readYamlFile({ path: join(directory, name), shown: `${shown}/${name}`, root }))?.data;
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
    hint: "A step is `{id: step-0, prompt: …, status: pending}`, with the status pending or completed",
  });
