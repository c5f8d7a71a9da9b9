import type { Speech, TextProblem } from "../domain/data-problem.ts";
import type { Config, HarnessConfig } from "./values.ts";

export interface ConfigRequest {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nested like the file, undefined where a flag was not given: `{ limits: { cost: "5" } }`. Text is read by kind. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  /** What the user calls the flag of a key: `{ "limits.cost": "--max-cost" }`. */
  readonly flagNames?: Readonly<Record<string, string>> | undefined;
  /** The file of `--config`. */
  readonly configFile?: string | undefined;
}

/** Where a value came from. */
export type Origin =
  | { readonly kind: "flag"; readonly text: string }
  | { readonly kind: "environment"; readonly text: string; readonly variable: string }
  | { readonly kind: "file"; readonly text: string; readonly file: string; readonly line: number }
  | { readonly kind: "default"; readonly text: string };

export interface ConfigSource {
  /** Absolute. */
  readonly file: string;
  /** The person's own file, by its place; any other may have come with a repository. */
  readonly isUsers: boolean;
  /** As it is written, checked. */
  readonly tree: Readonly<Record<string, unknown>>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The same in the form of a file: durations and sizes as they were written, defaults filled in. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The folder that holds `.ralph/`; undefined when there is none. Relative paths of `config` start here. */
  readonly workspace: string | undefined;
  /** The files that were read, absolute, the strongest first. */
  readonly files: readonly string[];
  /** The same files with what each says, the weakest first. Paths are as seen from the workspace. */
  readonly sources: readonly ConfigSource[];
  /** The settings of a harness, named in a file or not. */
  readonly harness: (name: string) => HarnessConfig;
  /** A key, or a group of keys, as in `limits.cost`; an unknown one is an error with the nearest known. */
  readonly lookup: (key: string) => { readonly value: unknown; readonly written: unknown; readonly origin: Origin };
}

// Parser and schema are loaded only when a configuration is: a command that needs none starts without them.

/** Reads and merges all layers (cfg-R2); throws a RalphError that names the place of whatever is wrong. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const { loadLayers } = await import("./load.ts");
  return loadLayers(request);
}

/** The JSON Schema of a configuration file, for editors. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  const { makeJsonSchema } = await import("./json-schema.ts");
  return makeJsonSchema();
}

/** Sets keys in the text of a configuration file, and changes nothing else; undefined where a person has to. */
export async function editConfigText(text: string, settings: NewSettings): Promise<string | undefined> {
  const { setKeys } = await import("./edit-text.ts");
  return setKeys(text, settings);
}

/** One value of a configuration file, as it was typed; undefined: it is removed. */
export interface ConfigEdit {
  readonly key: string;
  readonly value: string | undefined;
}

interface EditedFile extends Pick<ConfigRequest, "cwd"> {
  readonly file: string;
  /** It is the repository's, and not the person's own. */
  readonly isTheirs: boolean;
}

/** The text of a file with one value set or removed, checked. Everything else in it stays, comments, too. */
export async function setConfigValue(text: string, edit: ConfigEdit, file: EditedFile): Promise<string> {
  const { setValue } = await import("./set-value.ts");
  return setValue(text, edit, file);
}

/** Throws what is wrong with the text of a file. */
export async function checkConfigText(text: string, file: EditedFile): Promise<void> {
  const { checkText } = await import("./load.ts");
  checkText(text, file);
}

/** The person's own file; undefined without a home. */
export async function userConfigFile(env: ConfigRequest["env"]): Promise<string | undefined> {
  const { userFile } = await import("./load.ts");
  return userFile(env);
}

/** Groups, their keys and values: `{ lanes: { setup: "make deps" } }`. */
export type NewSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The reference of every key, as a Markdown table. */
export async function configReference(): Promise<string> {
  const { makeReference } = await import("./keys.ts");
  return makeReference();
}

/** The keys that can be asked for by name; those that have a name of the user's in them are left out. */
export async function configKeyNames(): Promise<string[]> {
  const { configKeys } = await import("./keys.ts");
  const names = configKeys().map(({ path }) => path.join("."));
  return names.filter((name) => !/[<[]/.test(name));
}

/** A list of hooks from another file, by the same rules as `hooks` here; what is wrong in it, with its place. */
export async function readHooks(
  data: unknown,
  speech: Speech,
): Promise<Config["hooks"] | { readonly problems: readonly TextProblem[] }> {
  const { readHookList } = await import("./load.ts");
  return readHookList(data, speech);
}

export type { Config, GateConfig, HarnessConfig, HookConfig, LimitsConfig } from "./values.ts";
export { RESERVED_VARIABLES } from "./reserved.ts";

export interface FirstSettings {
  readonly harness: string;
  /** Undefined: `auto`. */
  readonly gates?: readonly { readonly id: string; readonly run: string }[] | undefined;
  /** Undefined: the default. */
  readonly specs?: readonly string[] | undefined;
  /** Undefined: `auto`. */
  readonly plan?: readonly string[] | undefined;
  /** Limits that differ, as they are written. */
  readonly limits?: Readonly<Record<string, string>> | undefined;
  /** A command of the kind that checks this repository. */
  readonly example?: string | undefined;
}

/**
 * The `.ralph/config.yaml` that `init` writes. It stays valid if you uncomment any of its keys.
 * Prose begins in the first column. Commented keys are indented as editors comment them, so that uncommenting takes one keystroke.
 */
export const defaultConfigText = ({
  harness,
  gates,
  specs,
  plan,
  limits = {},
  example = "COMMAND",
}: FirstSettings): string =>
  `# yaml-language-server: $schema=./config.schema.json
# Configuration of ralphctl. \`ralphctl config schema\` describes every key, \`ralphctl config get\` shows the values in effect.

# The agent that does the work, or a list: the next one takes over on a usage limit or an outage.
harness: ${harness}

# The checks that decide whether work is done. auto detects them;
# to choose your own, write a list: [{ id: test, run: ${/[^\w ./=-]/.test(example) ? JSON.stringify(example) : example} }]
gates:${gatesText(gates)}

# Settings of the agent. Without a model, it uses its own default.
harnesses:
  ${harness}:
    # model: ~

# Folders with specs. The agent reads them and must not change them.
specs:
  ${specs === undefined ? "# dirs: [.ralph/specs]" : `dirs: ${listText(specs)}`}
${plan === undefined ? "" : `\n# Files whose open entries are tasks. ralphctl marks in them what is proven.\nplan: ${listText(plan)}\n`}
# Limits of one run; ~ means none. Durations like 30s, 5m, 2h; cost in US dollars.
limits:
${limitsText(limits)}

# Files that the agent must not change or delete.
verify:
  # protect: [.ralph/config.yaml, .worktreeinclude, ".github/workflows/**"]

git:
  # commit: true
  # branch: ~
`;

/** What most people look for, and what is set. */
const limitsText = (limits: Readonly<Record<string, string>>): string =>
  Object.entries({ iterations: "~", time: "~", cost: "~", attempts: "3", inactivity: "15m", ...limits })
    .map(([key, value]) => `  ${Object.hasOwn(limits, key) ? "" : "# "}${key}: ${value}`)
    .join("\n");

const listText = (list: readonly string[]): string => `[${list.map((text) => JSON.stringify(text)).join(", ")}]`;

// A JSON string is valid YAML.
function gatesText(gates: FirstSettings["gates"]): string {
  if (gates === undefined) return " auto";
  if (gates.length === 0) return " []";
  return gates.map(({ id, run }) => `\n  - { id: ${JSON.stringify(id)}, run: ${JSON.stringify(run)} }`).join("");
}
