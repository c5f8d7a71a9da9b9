import { join, resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { HookPhase } from "../domain/hook.ts";
import { checkNamed } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { type KeyPath, readYaml, type YamlText } from "../system/yaml-text.ts";
import type { WorkflowPlace } from "./workflow.ts";

/** Where workflows are looked for. */
export interface HookWorkflowPlace extends WorkflowPlace {
  /** The folder of each plugin. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** The sessions of a workflow that runs as a hook, or where it was looked for. */
export type FoundWorkflow =
  | { readonly kind: "found"; readonly phases: readonly HookPhase[] }
  | { readonly kind: "missing"; readonly places: readonly string[] };

const LIMIT_BYTES = 1024 * 1024;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Reads a workflow by its name, `PLUGIN:NAME` for one of a plugin: its phases, or its goal as the only one. */
export async function readHookWorkflow(name: string, place: HookWorkflowPlace): Promise<FoundWorkflow> {
  const { folders, file } = placesOf(name, place);
  const names = /\.ya?ml$/.test(file) ? [file] : [`${file}.yaml`, `${file}.yml`];
  for (const folder of NAME.test(file) ? folders : []) {
    for (const shown of names.map((each) => join(folder, each))) {
      const path = resolve(place.root, shown);
      await checkNamed(place.root, path);
      const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: shown });
      if (text !== undefined) return { kind: "found", phases: phasesOf(readYaml(text), shown) };
    }
  }
  return { kind: "missing", places: folders };
}

function placesOf(name: string, { workflows, plugins }: HookWorkflowPlace) {
  const colon = name.indexOf(":");
  if (colon === -1) return { folders: workflows, file: name };
  const plugin = name.slice(0, colon);
  const folder = Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined;
  return { folders: folder === undefined ? [] : [folder], file: name.slice(colon + 1) };
}

function phasesOf(yaml: YamlText, file: string): readonly HookPhase[] {
  if (yaml.kind === "broken") {
    const [first] = yaml.problems;
    const { line = 1, column = 1 } = first?.position ?? {};
    throw new RalphError(
      "data",
      `${first?.sentence ?? "It is not valid YAML"} (${file}, line ${line}, column ${column})`,
      {
        hint: first?.hint ?? "Check it",
      },
    );
  }
  const refuse = (path: KeyPath, sentence: string, hint: string): RalphError => {
    const { line, column } = yaml.locate(path, "value");
    return new RalphError("data", `${sentence} (${file}, line ${line}, column ${column})`, { hint });
  };
  const { data } = yaml;
  const goal = isMapping(data) ? data["goal-prompt"] : undefined;
  const phases = isMapping(data) ? data["phases"] : undefined;
  if (phases === undefined && isText(goal)) return [{ id: "goal", prompt: goal }];
  if (!Array.isArray(phases) || phases.length === 0) {
    throw refuse(["phases"], "phases must be a list with at least one phase, or there must be a goal-prompt", EXAMPLE);
  }
  return phases.map((phase: unknown, index) => {
    const prompt = isMapping(phase) ? phase["prompt"] : undefined;
    const id = isMapping(phase) && isText(phase["id"]) ? phase["id"] : `phase-${index + 1}`;
    if (isText(prompt)) return { id, prompt };
    throw refuse(["phases", index, "prompt"], `phases[${index}].prompt must be text that is not empty`, EXAMPLE);
  });
}

const EXAMPLE = "Write `phases: [{ id: look, prompt: … }]`";

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
