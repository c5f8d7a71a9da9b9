import { resolve } from "node:path";
import type { HarnessConfig } from "../../config/config.ts";
import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import { hasPrice } from "../../domain/prices.ts";
import { checkStrategy, type ModelStrategy } from "../../domain/run/model-choice.ts";
import type { Harness } from "../../harness/harness.ts";
import type { Agent } from "../../loop/run-deps.ts";
import { kindOf } from "../../system/folder.ts";
import { isProgram, programsOn } from "../../system/process/programs.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import type { Surroundings, Workspace } from "../workspace.ts";

/** Models of the command line, and the environment with the PATH. */
export interface HarnessFlags extends Pick<Surroundings, "env" | "smartModel" | "fastModel"> {
  readonly model?: string | undefined;
  /** Of a program that uses the library; one with the name of ours takes its place. */
  readonly harnesses?: Readonly<Record<string, Harness>> | undefined;
  /** No session will start, so that the programs may be missing. */
  readonly isIdle?: boolean;
}

/** A harness that can be started, as far as one can know without starting it. */
export interface ReadyHarness {
  readonly name: string;
  readonly harness: Harness;
  /** With the models of the command line, and with absolute paths. */
  readonly settings: HarnessConfig;
  /** Where its models were set, for people. */
  readonly origins?: Agent["origins"];
}

export interface ReadyHarnesses {
  /** In the order in which they take over from each other. */
  readonly harnesses: readonly [ReadyHarness, ...ReadyHarness[]];
  readonly reviewer: ReadyHarness | undefined;
  readonly strategy: ModelStrategy;
  /** `--model` without a strategy: no other model is used. */
  readonly isModelFinal: boolean;
}

/** Refuses unusable harnesses before anything starts. */
export async function checkHarnesses(workspace: Workspace, flags: HarnessFlags): Promise<ReadyHarnesses> {
  const strategy = strategyOf(workspace, flags);
  const { harness: names, verify } = workspace.config;
  const harnesses: ReadyHarness[] = [];
  for (const name of names) {
    const settings = withModels(workspace.harness(name), flags);
    const ready = await checkHarness(workspace, { name, settings, key: "harness" }, flags);
    checkStrategy(strategy, name, settings);
    harnesses.push({ ...ready, origins: modelOrigins(workspace, name, flags) });
  }
  const [first, ...rest] = harnesses;
  const name = verify.reviewer;
  const reviewer = name === null ? undefined : await checkHarness(workspace, { name, key: "verify.reviewer" }, flags);
  // The configuration names at least one.
  return {
    harnesses: [first!, ...rest],
    reviewer,
    strategy,
    isModelFinal: flags.model !== undefined && strategy === "fixed",
  };
}

/** `--model` alone is a decision for that model, whatever strategy a file names. */
function strategyOf({ config, lookup }: Workspace, { model }: HarnessFlags): ModelStrategy {
  const isAsked = lookup("models.strategy").origin.kind === "flag";
  return model === undefined || isAsked ? config.models.strategy : "fixed";
}

function withModels(settings: HarnessConfig, { model, smartModel, fastModel }: HarnessFlags): HarnessConfig {
  return {
    ...settings,
    model: named("--model", model) ?? settings.model,
    smart: named("--smart-model", smartModel) ?? settings.smart,
    fast: named("--fast-model", fastModel) ?? settings.fast,
  };
}

function modelOrigins(
  { lookup }: Workspace,
  harness: string,
  { model, smartModel, fastModel }: Pick<HarnessFlags, "model" | "smartModel" | "fastModel">,
): Agent["origins"] {
  const inConfig = (role: string): string => {
    const key = `harnesses.${harness}.${role}`;
    try {
      return `${key}, ${lookup(key).origin.text}`;
    } catch {
      return key;
    }
  };
  return {
    model: model === undefined ? inConfig("model") : "--model",
    smart: smartModel === undefined ? inConfig("smart") : "--smart-model",
    fast: fastModel === undefined ? inConfig("fast") : "--fast-model",
    models: inConfig("models"),
  };
}

/** A blank name comes from an unset variable. */
function named(flag: string, model: string | undefined): string | undefined {
  if (model === undefined || model.trim() !== "") return model;
  throw new RalphError("usage", `${flag} is blank`, { hint: `Give it a value, or remove ${flag}` });
}

export interface AskedHarness {
  readonly name: string;
  /** The key that names it. */
  readonly key: string;
  /** Default: those of the configuration. */
  readonly settings?: HarnessConfig;
}

export async function checkHarness(
  workspace: Workspace,
  { name, key, settings: given = workspace.harness(name) }: AskedHarness,
  { env, harnesses, isIdle }: Pick<HarnessFlags, "env" | "harnesses" | "isIdle">,
): Promise<ReadyHarness> {
  const harness = find(name, knownHarnesses(workspace.config, harnesses), workspace.lookup(key).origin.text);
  const settings = withPaths(given, workspace.root);
  checkKeys(workspace, name);
  checkUserSettings({ name, harness, settings });
  checkCost(workspace, { name, harness, settings });
  checkTokens(workspace, { name, harness, settings });
  await checkFiles(name, settings);
  if (isIdle !== true) await checkProgram({ name, harness, settings }, workspace.root, env);
  return { name, harness, settings, origins: modelOrigins(workspace, name, {}) };
}

function find(name: string, known: Readonly<Record<string, Harness>>, origin: string): Harness {
  if (Object.hasOwn(known, name)) return known[name]!;
  const names = Object.keys(known).sort();
  const meant = closestMatch(name, names);
  throw new RalphError("config", `Unknown harness ${JSON.stringify(name)} (${origin})`, {
    hint: meant ? `Did you mean ${meant}?` : `Choose one of: ${names.join(", ")}`,
  });
}

/** Keys that only some harnesses read; they have no effect on others. */
const OWN_KEYS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  run: ["command", "acp"],
  permissions: ["acp"],
  promptBy: ["command"],
  output: ["command"],
  script: ["scripted"],
  recording: ["replay"],
};

function checkKeys({ lookup, harness }: Workspace, name: string): void {
  const kind = harness(name).kind ?? name;
  for (const [key, owners] of Object.entries(OWN_KEYS)) {
    if (owners.includes(kind) || !isSet(lookup, `harnesses.${name}.${key}`)) continue;
    const whose = `${owners.length === 1 ? "harness" : "harnesses"} ${owners.join(" and ")}`;
    const use = owners.length === 1 ? "uses" : "use";
    throw new RalphError("config", `harnesses.${name}.${key} has no effect: only the ${whose} ${use} ${key}`, {
      hint: owners.includes("acp")
        ? `Remove it, choose the harness ${owners[0]}, or add kind: acp if the agent speaks ACP`
        : `Remove it, or choose the harness ${owners[0]}`,
    });
  }
}

function checkUserSettings({ name, harness: { facts }, settings: { userSettings } }: ReadyHarness): void {
  const known = facts.userSettings ?? ["all"];
  if (known.includes(userSettings)) return;
  const key = `harnesses.${name}.userSettings`;
  throw new RalphError("config", `${key} cannot be ${userSettings}: ${facts.title} has no switch for that`, {
    hint: `Set it to ${known.join(" or ")}, or remove it`,
  });
}

/** Looking up a key of a harness that is not configured throws. */
function isSet(lookup: Workspace["lookup"], key: string): boolean {
  try {
    return lookup(key).origin.kind !== "default";
  } catch {
    return false;
  }
}

/** Makes paths absolute, so that they work from any folder. */
const withPaths = (settings: HarnessConfig, root: string): HarnessConfig => ({
  ...settings,
  script: settings.script === null ? null : resolve(root, settings.script),
  recording: settings.recording === null ? null : resolve(root, settings.recording),
  bin: settings.bin?.includes("/") ? resolve(root, settings.bin) : settings.bin,
});

/** P-44: a cost limit needs a cost to compare with. */
function checkCost({ config, lookup }: Workspace, { name, harness, settings }: ReadyHarness): void {
  if (config.limits.cost === null) return;
  const { cost } = (harness.speaksLike?.(settings) ?? harness).facts;
  if (cost === "reported") return;
  const limit = `limits.cost (${lookup("limits.cost").origin.text})`;
  if (cost === "none") {
    throw new RalphError("config", `The harness ${name} reports no cost, so ralphctl cannot enforce ${limit}`, {
      hint: "Remove the limit, and use --max-iterations or --max-time instead",
    });
  }
  const asked = [settings.model, settings.smart, settings.fast, ...settings.models].filter((model) => model !== null);
  const unknown = asked.find((model) => !hasPrice(model));
  if (settings.model !== null && unknown === undefined) return;
  const why =
    unknown === undefined
      ? `the model that ${name} will use is unknown`
      : `the price of ${JSON.stringify(unknown)} is unknown`;
  throw new RalphError(
    "config",
    `The harness ${name} reports tokens but no cost, and ${why}, so ralphctl cannot enforce ${limit}`,
    { hint: `Set harnesses.${name}.model to a model with a known price, or use --max-tokens instead` },
  );
}

/** P-44: the same for tokens. */
function checkTokens({ config, lookup }: Workspace, { name, harness, settings }: ReadyHarness): void {
  if (config.limits.tokens === null || (harness.speaksLike?.(settings) ?? harness).facts.usage !== "none") return;
  const limit = `limits.tokens (${lookup("limits.tokens").origin.text})`;
  throw new RalphError("config", `The harness ${name} reports no tokens, so ralphctl cannot enforce ${limit}`, {
    hint: "Remove the limit, and use --max-iterations or --max-time instead",
  });
}

async function checkFiles(name: string, { script, recording }: HarnessConfig): Promise<void> {
  const missing = (what: string, key: "script" | "recording"): RalphError =>
    new RalphError("config", `${what} of the harness ${name} does not exist`, {
      hint: `Correct harnesses.${name}.${key}`,
    });
  if (script !== null && (await kindOf(script)) !== "file") throw missing(`The script ${script}`, "script");
  if (recording !== null && (await kindOf(recording)) !== "folder") {
    throw missing(`The recorded iteration ${recording}`, "recording");
  }
}

/** X-69: `start` is pure, so calling it finds the program, and incomplete settings too. */
async function checkProgram(
  { name, harness, settings }: ReadyHarness,
  root: string,
  env: HarnessFlags["env"],
): Promise<void> {
  const { file: started } = harness.start({
    prompt: "",
    systemPrompt: "",
    cwd: root,
    folder: root,
    settings,
    isRoot: false,
    self: [OURSELVES],
  });
  const key = settings.run === null ? "bin" : "run";
  const file = started === OURSELVES ? harness.behind?.(settings) : started;
  if (file === undefined) return;
  if (!file.includes("/")) {
    if ((await programsOn(settings.env["PATH"] ?? env["PATH"] ?? "", [file])).length > 0) return;
    const { program, package: ofNpm } = harness.facts;
    const isOfNpm = ofNpm !== undefined && (file === program || program === undefined);
    const install = isOfNpm ? `Run npm install --global ${ofNpm}` : `Install ${file}`;
    throw new RalphError("unavailable", `The harness ${name} needs the program ${file}, which is not on the PATH`, {
      hint: `${install}, or ${key === "bin" ? `set harnesses.${name}.bin to its path` : `correct harnesses.${name}.run`}`,
    });
  }
  const path = resolve(root, file);
  if (await isProgram(path)) return;
  const isThere = (await kindOf(path)) === "file";
  throw new RalphError(
    "unavailable",
    `Cannot start the harness ${name}: ${file} ${isThere ? "is not executable" : "is not a program"}`,
    { hint: isThere ? `Run chmod +x ${file}` : `Correct harnesses.${name}.${key}` },
  );
}

/** Stands for the program that runs already. */
const OURSELVES = "ralphctl itself";
