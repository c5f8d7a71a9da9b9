import { basename, join } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { SprintState, SprintStep } from "../domain/prompt/sprint.ts";
import { checkInside, kindOf } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { readYaml } from "../system/yaml-text.ts";

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
  const own = { ...workflow, ...sprint };
  return {
    id: textAt(progress, "sprint-id") ?? textAt(sprint, "sprint-id") ?? basename(place.directory),
    directory: place.shown,
    goal: textAt(progress, "goal") ?? textAt(sprint, "goal") ?? "",
    steps: stepsOf(place, progress),
    goalPrompt: textAt(own, "goal-prompt"),
    reflectionPrompt: textAt(own, "reflection-prompt"),
  };
}

type Mapping = Readonly<Record<string, unknown>>;

const LIMIT_BYTES = 4 * 1024 * 1024;

async function readMapping(place: SprintPlace, name: string): Promise<Mapping | undefined> {
  await checkInside(place.root, join(place.directory, name));
  return await readYamlMapping(join(place.directory, name), `${place.shown}/${name}`);
}

async function readYamlMapping(path: string, shown: string): Promise<Mapping | undefined> {
  const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: shown });
  if (text === undefined) return undefined;
  const yaml = readYaml(text);
  if (yaml.kind === "broken") {
    const [{ sentence, hint, position } = { sentence: "It is not valid YAML", hint: "Check it", position: undefined }] =
      yaml.problems;
    const at = position ? `, line ${position.line}, column ${position.column}` : "";
    throw new RalphError("data", `${sentence} (${shown}${at})`, { hint });
  }
  if (yaml.data === undefined || yaml.data === null) return {};
  if (isMapping(yaml.data)) return yaml.data;
  throw new RalphError("data", `${shown} is not a mapping of keys to values`, { hint: "Begin it with `goal: …`" });
}

async function readWorkflow(place: SprintPlace, name: string | undefined): Promise<Mapping> {
  if (name === undefined) return {};
  for (const folder of place.workflows) {
    for (const file of /\.ya?ml$/.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`]) {
      const found = await readYamlMapping(join(folder, basename(file)), file);
      if (found) return found;
    }
  }
  throw new RalphError("data", `The workflow ${JSON.stringify(name)} of ${place.shown} was not found`, {
    hint: "Put it into .claude/workflows/, or remove the key `workflow`",
  });
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

function textAt(mapping: Mapping, key: string): string | undefined {
  const value = mapping[key];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);
