import { isMapping, type Mapping } from "../domain/mapping.ts";
import { basename } from "node:path";
import { type TextProblem, problemsError, writtenKey } from "../domain/data-problem.ts";
import { parseDuration } from "../domain/duration.ts";
import type { SprintPhase } from "../domain/prompt/phase.ts";
import { problemsIn } from "./sprint-rules.ts";
import { readSprintFiles, shapeOf, type SprintFiles, type SprintPlace } from "./sprint-files.ts";
import { isText, placed, textAt, type YamlFile } from "./yaml-file.ts";

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
  readonly hooks: { readonly workflow: HooksInFile | undefined; readonly sprint: HooksInFile | undefined };
  /** Sentences about what was passed over. */
  readonly warnings: readonly string[];
}

/** The value of `per-iteration-hooks` in a file, and where its parts are. */
export interface HooksInFile extends Pick<YamlFile, "file" | "locate"> {
  readonly value: unknown;
}

/** Reads and checks a sprint's files; errors name file, line, key and rule. `isStrict`: warnings are errors. */
export async function readSprintDefinition(
  place: SprintPlace,
  { isStrict }: { readonly isStrict: boolean },
): Promise<SprintDefinition> {
  const files = await readSprintFiles(place);
  const { sprint, workflow, name } = files;
  const found = [...problemsIn(sprint, "sprint"), ...(workflow === undefined ? [] : problemsIn(workflow, "workflow"))];
  const warnings = isStrict ? [] : found.filter(({ isUnknownKey }) => isUnknownKey);
  const errors = [...found.filter((problem) => !warnings.includes(problem)), ...shapeProblems(files)];
  if (errors.length > 0) throw problemsError("data", errors);
  const sentences = warnings.map(({ sentence }) => sentence);
  return { ...definitionOf(place, files), workflow: name, warnings: sentences };
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

/** Mistakes that only several keys or files show together. */
function shapeProblems(files: SprintFiles): TextProblem[] {
  const { sprint, workflow } = files;
  const problems: TextProblem[] = [];
  if (workflow !== undefined && workflow.data["mode"] === undefined && workflow.data["phases"] === undefined) {
    const sentence = "mode is missing, and so is phases";
    problems.push(placed(workflow, ["mode"], { sentence, hint: "Write `mode: ralph`, or list the phases" }));
  }
  if (workflow?.data["mode"] === "ralph" && workflow.data["phases"] !== undefined) {
    const sentence = "phases and `mode: ralph` exclude each other";
    problems.push(placed(workflow, ["phases"], { sentence, hint: "Keep the goal or the phases" }));
  }
  if (shapeOf(files) === "ralph" && goalOf(files) === undefined && sprint.data["goal"] === undefined) {
    const sentence = "goal is missing, and ralph mode needs one";
    problems.push(placed(sprint, ["goal"], { sentence, hint: `Add a line \`goal: …\` to ${sprint.file}` }));
  }
  return [...problems, ...repeatedIds(workflow)];
}

function repeatedIds(workflow: YamlFile | undefined): TextProblem[] {
  const phases: unknown = workflow?.data["phases"];
  const ids = (Array.isArray(phases) ? phases : []).map((phase: unknown) =>
    isMapping(phase) ? phase["id"] : undefined,
  );
  return ids.flatMap((id, index) => {
    if (workflow === undefined || !isText(id) || ids.indexOf(id) === index) return [];
    const path = ["phases", index, "id"];
    const sentence = `${writtenKey(path)} repeats the id ${id}`;
    return placed(workflow, path, { sentence, hint: "Give each phase its own id" });
  });
}

const hooksOf = ({ data, file, locate }: YamlFile): HooksInFile | undefined =>
  data["per-iteration-hooks"] === undefined ? undefined : { value: data["per-iteration-hooks"], file, locate };

// The rules have just seen to it that it is a list of mappings.
const phasesOf = (workflow: YamlFile | undefined): SprintPhase[] =>
  ((workflow?.data["phases"] ?? []) as readonly Mapping[]).map((phase) => ({
    id: textAt(phase, "id") ?? "",
    prompt: textAt(phase, "prompt") ?? "",
    gate: gateOf(phase["gate"]),
  }));

function gateOf(gate: unknown): SprintPhase["gate"] {
  if (typeof gate === "string") return { run: gate, timeoutMs: undefined };
  if (!isMapping(gate)) return undefined;
  const timeout = textAt(gate, "timeout");
  return { run: textAt(gate, "run") ?? "", timeoutMs: timeout === undefined ? undefined : parseDuration(timeout) };
}
