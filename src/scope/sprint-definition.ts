import { isMapping, type Mapping } from "../domain/mapping.ts";
import { basename } from "node:path";
import { type TextProblem, problemsError, writtenKey } from "../domain/data-problem.ts";
import { parseDuration } from "../domain/duration.ts";
import { expandPhases } from "./expand-phases.ts";
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
  /** 0: unlimited. */
  readonly maxIterations: number | undefined;
  readonly timeMs: number | undefined;
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
  const definition = definitionOf(place, files);
  const isListed = definition.shape === "phases";
  const { phases, ...expanded } = await expandPhases(
    isListed ? files : { ...files, workflow: undefined },
    place,
    definition.id,
  );
  if (expanded.problems.length > 0) throw problemsError("data", expanded.problems);
  const sentences = [...warnings.map(({ sentence }) => sentence), ...expanded.warnings, ...passedOver(files)];
  return { ...definition, phases, workflow: name, warnings: sentences };
}

type OwnDefinition = Omit<SprintDefinition, "workflow" | "warnings" | "phases">;

function definitionOf(place: SprintPlace, files: SprintFiles): OwnDefinition {
  const { sprint, progress, workflow } = files;
  const own: Mapping = { ...workflow?.data, ...sprint.data };
  const shape = shapeOf(files);
  // m42 has them in groups.
  const valueOf = (key: string, group: string): unknown =>
    own[key] ?? (isMapping(own[group]) ? own[group][key] : undefined);
  const number = (key: string, group: string): number | undefined => {
    const value = valueOf(key, group);
    return value === "unlimited" ? 0 : typeof value === "number" ? value : undefined;
  };
  const timeBox = valueOf("time-box", "config");
  return {
    id: textAt(progress.data, "sprint-id") ?? textAt(sprint.data, "sprint-id") ?? basename(place.directory),
    shape,
    goal: goalOf(files) ?? "",
    goalPrompt: textAt(own, "goal-prompt"),
    reflectionPrompt: textAt(own, "reflection-prompt"),
    idleThreshold: number("idle-threshold", "ralph"),
    minIterations: number("min-iterations", "ralph"),
    maxIterations: number("max-iterations", "config"),
    timeMs: isText(timeBox) ? parseDuration(String(timeBox)) : undefined,
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

/** What a run does in another way. */
function passedOver({ sprint, workflow }: SprintFiles): string[] {
  return (workflow === undefined ? [sprint] : [sprint, workflow]).flatMap((file) =>
    ELSEWHERE.filter(([, isThere]) => isThere(file)).map(([why]) => `${file.file}: ${why}`),
  );
}

const isOn = ({ data }: YamlFile, key: string): boolean => {
  const value = data[key];
  return isMapping(value) && value["enabled"] === true;
};

const ELSEWHERE: readonly (readonly [why: string, isThere: (file: YamlFile) => boolean])[] = [
  ["worktree is not needed: each session works in a clone of its own", (file) => isOn(file, "worktree")],
  ["orchestration is passed over: a session adds tasks by ralphctl task add", (file) => isOn(file, "orchestration")],
  [
    "model is passed over: use --model, or ralphctl task edit ID --model NAME",
    (file) => [file.data, ...phasesIn(file)].some(({ model }) => model !== undefined),
  ],
  [
    "break is passed over: use ralphctl pause, or ralphctl stop --after",
    (file) => phasesIn(file).some((phase) => phase["break"] === true),
  ],
];

const phasesIn = ({ data }: YamlFile): Mapping[] => {
  const phases: unknown = data["phases"];
  return Array.isArray(phases) ? phases.filter(isMapping) : [];
};

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
