import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { HookConfig } from "../../config/config.ts";
import type { Environment } from "../../domain/environment.ts";
import { taskPhases } from "../../domain/prompt/phase.ts";
import { isMapping } from "../../domain/mapping.ts";
import { settingFacts, type TrustFact } from "../../domain/trust-facts.ts";
import { readHookWorkflow } from "../../scope/scope.ts";
import { isBelow, realPathOf } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { agentFacts } from "./agent-files.ts";
import { TASKS } from "./record.ts";
import { taskFacts } from "./task-facts.ts";
import type { OpenSprint } from "../sprint/open-sprint.ts";
import type { Workspace } from "../workspace.ts";

/** What one part of a repository starts and sets. A yes is for one area, as it is. */
export interface TrustArea {
  /** `workspace`, `tasks`, `agents`, or `sprint/FOLDER`. Files of agents may be others in each commit. */
  readonly name: string;
  readonly facts: readonly TrustFact[];
  /** Of all facts, whole. */
  readonly hash: string;
  /** The database of the tasks, whatever is in it. */
  readonly store?: string | undefined;
}

/** The area of the configuration. */
export const SETTINGS = "workspace";

/** What is about to be obeyed: the settings always, the rest if it is. */
export interface TrustAbout {
  readonly sprint?: OpenSprint | undefined;
  /** Agents are started. */
  readonly agents?: boolean;
}

/** B-01: everything that the repository's own files would start or set, if a run obeyed them. Reads, and starts nothing. */
export async function gatherTrust(
  workspace: Workspace,
  env: Environment,
  { sprint, agents }: TrustAbout,
): Promise<TrustArea[]> {
  const own = repositorySources(workspace);
  const hooks = own.flatMap(({ tree }) => (Array.isArray(tree["hooks"]) ? tree["hooks"].filter(isMapping) : []));
  const persons = workspace.sources.find(({ isUsers }) => isUsers)?.tree;
  const facts = [...own.flatMap(({ tree }) => settingFacts(tree, persons)), ...(await workflowFacts(hooks, workspace))];
  const tasks = await taskFacts(workspace, env);
  const areas = [areaOf(SETTINGS, facts), { ...areaOf(TASKS, tasks.facts), store: tasks.store }];
  if (agents === true) areas.push(...(await agentFacts(workspace, env)).map((each) => areaOf("agents", each)));
  if (sprint !== undefined) areas.push(areaOf(`sprint/${sprint.folder}`, await sprintFacts(sprint, workspace)));
  return areas.filter(({ name, hash }, at) => areas.findIndex((one) => one.name === name && one.hash === hash) === at);
}

/**
 * Files of the person, and files that they name outside of the repository, are theirs. A link inside of it that leads out
 * may have come with it, and another clone may be where it leads.
 */
function repositorySources({ root, sources }: Workspace): Workspace["sources"] {
  const top = gitFolder(root)?.top ?? root;
  const isInside = (file: string): boolean =>
    isBelow(root, file) || isBelow(top, file) || isBelow(realPathOf(top), realPathOf(file));
  return sources.filter(({ file, isUsers }) => !isUsers && isInside(resolve(file)));
}

async function sprintFacts({ hooks, definition, folder }: OpenSprint, workspace: Workspace): Promise<TrustFact[]> {
  const written = hooks.map(({ id, use, run, prompt, workflow, url, enabled }) => {
    return { id: id ?? use, use, run, prompt, workflow, url, enabled };
  });
  const gates = taskPhases(definition.phases).flatMap(({ id, gate }) =>
    gate === undefined ? [] : [{ id, run: gate.run }],
  );
  const found = [...settingFacts({ hooks: written, gates }), ...(await workflowFacts(hooks, workspace))];
  return found.map(({ key, value, isStrong }) => ({ key: `${folder}: ${key}`, value, isStrong }));
}

type HookLook = Partial<Pick<HookConfig, "id" | "use" | "workflow" | "enabled">>;

/** The prompts of a workflow that a hook names. One that cannot be read is for the run to refuse. */
async function workflowFacts(hooks: readonly HookLook[], { root, config }: Workspace): Promise<TrustFact[]> {
  const facts: TrustFact[] = [];
  const { workflows, plugins } = config;
  for (const { workflow, enabled } of hooks) {
    if (typeof workflow !== "string" || enabled === false) continue;
    const found = await readHookWorkflow(workflow, { root, workflows, plugins }).catch(() => undefined);
    if (found?.kind !== "found") continue;
    for (const { id, prompt } of found.phases) {
      facts.push({ key: `workflow ${workflow}.${id}`, value: prompt, isStrong: false });
    }
  }
  return facts;
}

function areaOf(name: string, facts: readonly TrustFact[]): TrustArea {
  const whole = JSON.stringify(facts.map(({ key, value }) => [key, value]));
  return { name, hash: hashOf(whole), facts: facts.map(withoutSecrets) };
}

/** Addresses of webhooks are secrets: host and hash are enough to see what changes. */
function withoutSecrets(fact: TrustFact): TrustFact {
  if (!/\bhooks\..*\.url$/.test(fact.key) || !URL.canParse(fact.value)) return fact;
  return { ...fact, value: `${new URL(fact.value).origin}/… (${hashOf(fact.value).slice(0, 16)})` };
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
