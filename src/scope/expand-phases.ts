import { type KeyPath, type TextProblem, writtenKey } from "../domain/data-problem.ts";
import { parseDuration } from "../domain/duration.ts";
import { isMapping, type Mapping } from "../domain/mapping.ts";
import type { SprintItem, SprintPhase } from "../domain/prompt/phase.ts";
import { fillVariables, type WorkflowVariables } from "../domain/prompt/workflow-variables.ts";
import { findWorkflow, type SprintFiles, type WorkflowPlace } from "./sprint-files.ts";
import { problemsIn } from "./sprint-rules.ts";
import { placed, textAt, type YamlFile } from "./yaml-file.ts";

type Leaf = Omit<SprintPhase, "steps">;

/** The phases of a workflow, each once for every item that it is for; and what is wrong with them. */
export interface Expanded {
  readonly phases: readonly SprintPhase[];
  readonly problems: readonly TextProblem[];
  /** Sentences about what was passed over. */
  readonly warnings: readonly string[];
}

interface Expanding {
  readonly place: WorkflowPlace;
  readonly sprint: YamlFile;
  readonly variables: WorkflowVariables;
  readonly taken: Set<string>;
  readonly problems: TextProblem[];
  readonly warnings: string[];
}

/** A workflow that is about to be expanded. */
interface Source {
  readonly file: YamlFile;
  /** Workflows that led here. */
  readonly trail: readonly string[];
  /** Goes before each id. */
  readonly prefix: string;
}

/**
 * Expands the phases of a sprint's workflow, whose files have just passed their rules: `for-each` over `collections` of
 * SPRINT.yaml, workflows that are named by phases and items, and variables.
 */
export async function expandPhases(
  { sprint, workflow, name = "" }: SprintFiles,
  place: WorkflowPlace,
  id: string,
): Promise<Expanded> {
  const about = { id, name: textAt(sprint.data, "name") ?? id };
  const state: Expanding = {
    place,
    sprint,
    variables: { sprint: about },
    taken: new Set(),
    problems: [],
    warnings: [],
  };
  const phases = workflow === undefined ? [] : await phasesOf(state, firstSource(workflow, name, sprint.data));
  return { phases, problems: state.problems, warnings: [...new Set(state.warnings)] };
}

/** A workflow that speaks of an item, and is for none in particular, is for each. */
function firstSource(file: YamlFile, name: string, sprint: Mapping): Source {
  const own = listIn(file.data["phases"]);
  const words = own.map((phase) => textAt(phase, "prompt") ?? "").join("\n");
  const known = Object.keys(isMapping(sprint["collections"]) ? sprint["collections"] : { step: [] });
  const each = known.find((word) => words.includes(`{{${word}.`)) ?? (words.includes("{{item.") ? known[0] : undefined);
  const isForNone = own.every((phase) => phase["for-each"] === undefined);
  if (each === undefined || !isForNone || itemsOf(sprint, each).length === 0)
    return { file, trail: [name], prefix: "" };
  const phases = [{ id: `${each}s`, "for-each": each, workflow: name }];
  return { file: { ...file, data: { ...file.data, phases } }, trail: [], prefix: "" };
}

async function phasesOf(state: Expanding, source: Source): Promise<SprintPhase[]> {
  const found: SprintPhase[] = [];
  for (const [index, phase] of listIn(source.file.data["phases"]).entries()) {
    const each = textAt(phase, "for-each");
    const named = textAt(phase, "workflow");
    if (each !== undefined) found.push(await forEach(state, source, { phase, index, each }));
    else if (named !== undefined) found.push(...(await inlined(state, source, { phase, index, named })));
    else found.push(leafOf(state, source, { phase, index }));
  }
  return found;
}

interface PhaseAt {
  readonly phase: Mapping;
  readonly index: number;
}

/** A phase that is another workflow. */
async function inlined(
  state: Expanding,
  source: Source,
  { phase, index, named }: PhaseAt & { readonly named: string },
) {
  const next = await sourceOf(state, source, { named, path: ["phases", index, "workflow"], in: source.file });
  if (next === undefined) return [];
  return await phasesOf(state, { ...next, prefix: `${source.prefix}${idOf(phase)}-` });
}

async function forEach(
  state: Expanding,
  source: Source,
  { phase, index, each }: PhaseAt & { readonly each: string },
): Promise<SprintPhase> {
  const collection = textAt(phase, "collection") ?? each;
  const items = itemsOf(state.sprint.data, collection);
  const id = unused(state, `${source.prefix}${idOf(phase)}`);
  if (items.length === 0) {
    const path = ["phases", index, "for-each"];
    const sentence = `${writtenKey(path)} is for each ${collection}, and ${state.sprint.file} has none`;
    const hint = `Add \`collections: { ${collection}: [{ prompt: … }] }\` to ${state.sprint.file}`;
    state.problems.push(placed(source.file, path, { sentence, hint }));
  }
  const ids = items.map((item, at) => textAt(item, "id") ?? `${collection}-${at}`);
  const steps: SprintItem[] = [];
  for (const [at, item] of items.entries()) {
    const about = { item, at, ids, collection, id: unused(state, ids[at]!, id) };
    steps.push(await itemOf(state, source, { phase, index, ...about }));
  }
  return { id, prompt: idOf(phase), gate: undefined, steps: items.some(hasNeeds) ? withNeeds(steps, ids) : steps };
}

const hasNeeds = (item: Mapping): boolean => item["depends-on"] !== undefined;

/** Only what is named comes first. Two phases for each item of one collection have each a step of its own id. */
function withNeeds(steps: readonly SprintItem[], ids: readonly string[]): SprintItem[] {
  const idIn = new Map(ids.map((name, at) => [name, steps[at]!.id]));
  return steps.map(({ needs = [], id, prompt, gate, phases }) => {
    return { id, prompt, gate, phases, needs: needs.map((name) => idIn.get(name) ?? name) };
  });
}

interface ItemAt extends PhaseAt {
  readonly item: Mapping;
  readonly at: number;
  readonly ids: readonly string[];
  readonly collection: string;
  readonly id: string;
}

async function itemOf(state: Expanding, source: Source, about: ItemAt): Promise<SprintItem> {
  const { item, at, collection, id, phase, index } = about;
  const values = { ...item, id: about.ids[at]!, index: at, type: collection };
  const own = { ...state, variables: { ...state.variables, item: values, [collection]: values } };
  const needs = needsOf(state, about);
  const prompt = textAt(item, "prompt") ?? "";
  const override = textAt(item, "workflow");
  const path = ["collections", collection, at, "workflow"];
  const named = override ?? textAt(phase, "workflow");
  const next =
    named === undefined
      ? undefined
      : await sourceOf(state, source, {
          named,
          path: override === undefined ? ["phases", index, "workflow"] : path,
          in: override === undefined ? source.file : state.sprint,
        });
  const phases = next === undefined ? [] : await phasesForItem(own, { ...next, prefix: `${id}-` });
  const [first, ...rest] = phases;
  if (first !== undefined && rest.length > 0) return { id, prompt, gate: undefined, needs, phases };
  const written = textAt(phase, "prompt");
  const text = first?.prompt ?? (written === undefined ? prompt : filled(own, source, { phase, index }));
  return { id, prompt: text, gate: first?.gate ?? gateOf(phase["gate"]), needs, phases: undefined };
}

/** In a workflow for one item, a phase for each item is about this one. */
async function phasesForItem(state: Expanding, source: Source): Promise<Leaf[]> {
  const found: Leaf[] = [];
  for (const [index, phase] of listIn(source.file.data["phases"]).entries()) {
    const named = textAt(phase, "workflow");
    const about = { named: named ?? "", path: ["phases", index, "workflow"], in: source.file };
    const next = named === undefined ? undefined : await sourceOf(state, source, about);
    if (next === undefined) found.push(leafOf(state, source, { phase, index }));
    else found.push(...(await phasesForItem(state, { ...next, prefix: `${source.prefix}${idOf(phase)}-` })));
  }
  return found;
}

const leafOf = (state: Expanding, source: Source, at: PhaseAt): Leaf => ({
  id: unused(state, `${source.prefix}${idOf(at.phase)}`),
  prompt: filled(state, source, at),
  gate: gateOf(at.phase["gate"]),
});

function filled({ variables, warnings }: Expanding, { file }: Source, { phase, index }: PhaseAt): string {
  const written = textAt(phase, "prompt") ?? (variables["item"] === undefined ? idOf(phase) : "{{item.prompt}}");
  const { text, unknown } = fillVariables(written, { ...variables, phase: { id: idOf(phase), index } });
  const path = writtenKey(["phases", index, "prompt"]);
  for (const name of new Set(unknown)) warnings.push(`${path} has ${name}, which stands for nothing (${file.file})`);
  const advice = onFail(phase["gate"]);
  return advice === undefined ? text : `${text.trimEnd()}\n\nIf its gate fails:\n\n${advice}`;
}

function needsOf(
  { sprint, problems }: Expanding,
  { item, at, ids, collection }: ItemAt,
): readonly string[] | undefined {
  const needs = item["depends-on"] === undefined ? undefined : [item["depends-on"]].flat().map(String);
  for (const name of needs ?? []) {
    if (ids.includes(name)) continue;
    const path = ["collections", collection, at, "depends-on"];
    const sentence = `${writtenKey(path)} names ${name}, which is no ${collection}`;
    problems.push(placed(sprint, path, { sentence, hint: `Choose one of: ${ids.join(", ")}` }));
  }
  return needs;
}

interface Naming {
  readonly named: string;
  readonly path: KeyPath;
  /** The file that names it. */
  readonly in: YamlFile;
}

async function sourceOf(state: Expanding, { trail }: Source, { named, path, in: file }: Naming) {
  const refuse = (sentence: string, hint: string): undefined =>
    void state.problems.push(placed(file, path, { sentence: `${writtenKey(path)} ${sentence}`, hint }));
  if (trail.includes(named)) return refuse(`leads back to ${named}`, "Name another workflow");
  const found = await findWorkflow(state.place, named);
  if (found === undefined) return refuse(`names an unknown workflow, ${JSON.stringify(named)}`, "Write the workflow");
  if (found.data["phases"] === undefined) return refuse(`names ${named}, which has no phases`, "Name another workflow");
  const problems = problemsIn(found, "workflow").filter(({ isUnknownKey }) => !isUnknownKey);
  state.problems.push(...problems);
  return problems.length > 0 ? undefined : { file: found, trail: [...trail, named], prefix: "" };
}

const idOf = (phase: Mapping): string => textAt(phase, "id") ?? "";

/** An id of its own for each entry of PROGRESS.yaml. */
function unused({ taken }: Expanding, id: string, within?: string): string {
  let name = taken.has(id) && within !== undefined ? `${within}-${id}` : id;
  for (let number = 2; taken.has(name); number += 1) name = `${id}-${number}`;
  taken.add(name);
  return name;
}

// The rules have just seen to it that it is a list of mappings.
const listIn = (value: unknown): readonly Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);

/** The items of a collection. Older sprints list them as `steps`, and an item may be its prompt alone. */
export function itemsOf(sprint: Mapping, name: string): Mapping[] {
  const { collections, steps } = sprint;
  const list: unknown = isMapping(collections) ? collections[name] : name === "step" ? steps : undefined;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.map((item) => (isMapping(item) ? item : { prompt: String(item) }));
}

function gateOf(gate: unknown): SprintPhase["gate"] {
  if (typeof gate === "string") return { run: gate, timeoutMs: undefined };
  if (!isMapping(gate)) return undefined;
  const timeout = gate["timeout"];
  const timeoutMs = typeof timeout === "number" ? timeout * 1000 : parseDuration(textAt(gate, "timeout") ?? "");
  return { run: textAt(gate, "run") ?? textAt(gate, "script") ?? "", timeoutMs };
}

function onFail(gate: unknown): string | undefined {
  const advice = isMapping(gate) ? gate["on-fail"] : undefined;
  return isMapping(advice) ? textAt(advice, "prompt")?.trim() : undefined;
}
