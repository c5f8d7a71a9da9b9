import { basename } from "node:path";
import { parseDuration } from "../domain/duration.ts";
import type { SprintPhase } from "../domain/prompt/phase.ts";
import { faultAt, faultsError, faultText, type SprintFault } from "./sprint-faults.ts";
import { sprintFaults, workflowFaults } from "./sprint-rules.ts";
import { readSprintFiles, shapeOf, type SprintFiles, type SprintPlace } from "./sprint-files.ts";
import { isMapping, type Mapping, textAt, type YamlFile } from "./yaml-file.ts";

/** What a sprint is, by SPRINT.yaml, its workflow and, where those say nothing, PROGRESS.yaml. */
export interface SprintDefinition {
  readonly id: string;
  /** `ralph`: a goal and the steps that an agent plans; `phases`: what the workflow lists, in sequence. */
  readonly shape: "ralph" | "phases";
  readonly goal: string;
  /** The workflow's name in SPRINT.yaml or PROGRESS.yaml. */
  readonly workflow: string | undefined;
  readonly goalPrompt: string | undefined;
  readonly reflectionPrompt: string | undefined;
  /** Undefined: what the configuration says. */
  readonly idleThreshold: number | undefined;
  readonly minIterations: number | undefined;
  readonly maxIterations: number | undefined;
  readonly phases: readonly SprintPhase[];
  /** `per-iteration-hooks` as they are written: of the workflow, and what SPRINT.yaml says of them by id. */
  readonly hooks: { readonly workflow: HooksAsWritten | undefined; readonly sprint: HooksAsWritten | undefined };
  /** Sentences about what was passed over. */
  readonly warnings: readonly string[];
}

/** The value of `per-iteration-hooks` in a file, and where its parts are. */
export interface HooksAsWritten extends Pick<YamlFile, "file" | "locate"> {
  readonly value: unknown;
}

/** Reads and checks a sprint's files; errors name file, line, key and rule. `isStrict`: warnings are errors. */
export async function readSprintDefinition(
  place: SprintPlace,
  { isStrict }: { readonly isStrict: boolean },
): Promise<SprintDefinition> {
  const files = await readSprintFiles(place);
  const { sprint, workflow, name } = files;
  const faults = [
    ...sprintFaults(sprint),
    ...(workflow === undefined ? [] : workflowFaults(workflow)),
    ...shapeFaults(files),
  ];
  const errors = faults.filter(({ level }) => isStrict || level === "error");
  if (errors.length > 0) throw faultsError(errors);
  return { ...definitionOf(place, files), workflow: name, warnings: faults.map(faultText) };
}

function definitionOf(place: SprintPlace, files: SprintFiles): Omit<SprintDefinition, "workflow" | "warnings"> {
  const { sprint, progress, workflow } = files;
  const own: Mapping = { ...workflow?.data, ...sprint.data };
  const shape = shapeOf(files);
  const number = (key: string): number | undefined => (typeof own[key] === "number" ? own[key] : undefined);
  return {
    id: textAt(progress.data, "sprint-id") ?? textAt(sprint.data, "sprint-id") ?? basename(place.directory),
    shape,
    goal: goalOf(files) ?? "",
    goalPrompt: textAt(own, "goal-prompt"),
    reflectionPrompt: textAt(own, "reflection-prompt"),
    idleThreshold: number("idle-threshold"),
    minIterations: number("min-iterations"),
    maxIterations: number("max-iterations"),
    phases: shape === "phases" ? phasesOf(workflow) : [],
    hooks: { workflow: workflow && hooksOf(workflow), sprint: hooksOf(sprint) },
  };
}

/** A person may have written the goal into either; the file that the loop keeps says it last. */
const goalOf = ({ progress, sprint }: SprintFiles): string | undefined =>
  textAt(progress.data, "goal") ?? textAt(sprint.data, "goal");

/** What no file says alone. */
function shapeFaults(files: SprintFiles): SprintFault[] {
  const { sprint, workflow } = files;
  const faults: SprintFault[] = [];
  if (workflow !== undefined && workflow.data["mode"] === undefined && workflow.data["phases"] === undefined) {
    const says = { rule: "is missing, and so is `phases`", hint: "Write `mode: ralph`, or list the phases" };
    faults.push(faultAt(workflow, { path: ["mode"] }, says));
  }
  if (workflow?.data["mode"] === "ralph" && workflow.data["phases"] !== undefined) {
    const says = { rule: "and `mode: ralph` exclude each other", hint: "Keep the goal or the phases" };
    faults.push(faultAt(workflow, { path: ["phases"], part: "key" }, says));
  }
  if (shapeOf(files) === "ralph" && goalOf(files) === undefined) {
    const rule = "is missing, and ralph mode needs one";
    faults.push(faultAt(sprint, { path: ["goal"] }, { rule, hint: `Add a line \`goal: …\` to ${sprint.file}` }));
  }
  return [...faults, ...overrideFaults(files)];
}

/** SPRINT.yaml may only speak of hooks that the workflow has (S003-03). */
function overrideFaults({ sprint, workflow }: SprintFiles): SprintFault[] {
  const overrides = sprint.data["per-iteration-hooks"];
  if (overrides === undefined) return [];
  const example = "Write `learning: { enabled: true }`";
  const path = ["per-iteration-hooks"];
  if (!isMapping(overrides)) return [faultAt(sprint, { path }, { rule: "must be a mapping by id", hint: example })];
  const hooks: unknown = workflow?.data["per-iteration-hooks"];
  const ids = new Set(
    (Array.isArray(hooks) ? hooks : []).flatMap((hook: unknown) =>
      isMapping(hook) ? [hook["id"] ?? hook["use"]] : [],
    ),
  );
  const strange = Object.keys(overrides).filter((id) => !ids.has(id));
  const wrong = Object.keys(overrides).filter((id) => !isMapping(overrides[id]));
  const rule = "is no hook of the workflow";
  return [
    ...strange.map((id) => faultAt(sprint, { path: [...path, id], part: "key" }, { rule, hint: example })),
    ...wrong.map((id) => faultAt(sprint, { path: [...path, id] }, { rule: "must be a mapping", hint: example })),
  ];
}

const hooksOf = ({ data, file, locate }: YamlFile): HooksAsWritten | undefined =>
  data["per-iteration-hooks"] === undefined ? undefined : { value: data["per-iteration-hooks"], file, locate };

function phasesOf(workflow: YamlFile | undefined): SprintPhase[] {
  const phases: unknown = workflow?.data["phases"] ?? [];
  return (Array.isArray(phases) ? phases : []).filter(isMapping).map((phase) => ({
    id: textAt(phase, "id") ?? "",
    prompt: textAt(phase, "prompt") ?? "",
    gate: gateOf(phase["gate"]),
  }));
}

function gateOf(gate: unknown): SprintPhase["gate"] {
  if (typeof gate === "string") return { run: gate, timeoutMs: undefined };
  if (!isMapping(gate)) return undefined;
  const timeout = textAt(gate, "timeout");
  return { run: textAt(gate, "run") ?? "", timeoutMs: timeout === undefined ? undefined : parseDuration(timeout) };
}
