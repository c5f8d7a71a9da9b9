import { namesInLine } from "../../domain/verdict-report.ts";
import { resolve } from "node:path";
import { RalphError } from "../../domain/error.ts";
import type { Store } from "../../store/store.ts";
import { hasWeak } from "../../loop/standing.ts";
import { changesIn, type KnownScope, projectsIn, scopeStates } from "../scopes.ts";
import { openWorkspace, type ScopeChoice, type Surroundings, type Workspace } from "../workspace.ts";
import { chooseWork, type Work, type WorkPlace, type WorkRequest } from "./choose-work.ts";
import { scopeFlag, describeScope } from "../../domain/scope-name.ts";

interface Asked extends WorkPlace {
  readonly request: WorkRequest & { readonly scope: ScopeChoice };
  /** Of the plan files. */
  readonly problems: readonly string[];
}

/**
 * What a run is about (see `chooseWork`). One that was asked for nothing in particular, in a workspace that has nothing
 * to do, names the scopes that have.
 */
export async function chooseWorkAnywhere(asked: Asked): Promise<Work> {
  const { request, problems } = asked;
  const isAboutTasks = (request.tasks ?? []).length > 0;
  const work = await workAnywhere(asked);
  // P-53: a plan that cannot be read is not "nothing to do", unless the run is about tasks that were named.
  if (work.kind !== "nothing" || problems.length === 0 || isAboutTasks) return work;
  throw new RalphError("data", problems.join("; "), { hint: "Fix the plan: there is nothing else to work on" });
}

async function workAnywhere(asked: Asked): Promise<Work> {
  const { store, workspace } = asked;
  const work = await chooseWork(asked);
  if (!isAboutNothing(asked.request) || !(await isIdle(asked, work))) return work;
  const keys = await scopesWithWork(store, workspace);
  if (keys.length === 0) return work;
  const named = namesInLine(keys.map(describeScope), MOST_NAMED);
  return {
    kind: "nothing",
    message: `The workspace itself has nothing to do, but there is work in ${named}`,
    help: keys.slice(0, MOST_NAMED).map((key) => `ralphctl run${scopeFlag(key)}`),
    elsewhere: keys,
  };
}

const MOST_NAMED = 8;

const isAboutNothing = ({ scope, words, file, tasks = [], mode }: Asked["request"]): boolean =>
  mode !== "plan" &&
  words === undefined &&
  file === undefined &&
  tasks.length === 0 &&
  Object.values(scope).every((name) => name === undefined);

/** No task is open, none failed, and none waits for its proof. */
async function isIdle({ store, scope }: Asked, work: Work): Promise<boolean> {
  if (work.kind !== "build") return work.kind === "nothing";
  if (work.only !== undefined || work.size !== 0) return false;
  const [counts] = await store.counts([scope.key]);
  if ((counts?.leaves.failed ?? 0) > 0) return false;
  return !(await hasWeak(store, scope.key));
}

/** The keys of scopes in which a run would find something to do: projects, changes, and sprints that have tasks. */
async function scopesWithWork(store: Store, workspace: Workspace): Promise<string[]> {
  const known = [
    ...(await projectsIn(workspace)),
    ...(await changesIn(workspace)),
    ...(await sprintsIn(store, workspace)),
  ];
  if (known.length === 0) return [];
  const all = await store.preview(async (preview) => await scopeStates(preview, workspace, known));
  return all.filter(({ next }) => next !== "nothing").map(({ key }) => key);
}

async function sprintsIn(store: Store, { root }: Workspace): Promise<KnownScope[]> {
  const keys = (await store.scopes()).filter((key) => key.startsWith(SPRINT));
  return keys.map((key) => {
    const folder = key.slice(SPRINT.length);
    return { name: folder, key, folder, choice: { sprint: resolve(root, folder) } };
  });
}

const SPRINT = "sprint/";

/** The scope choice for a key. */
export async function choiceOf(key: string, surroundings: Surroundings): Promise<ScopeChoice> {
  const slash = key.indexOf("/");
  if (slash < 0) return {}; // the workspace itself
  const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)];
  // A sprint's folder is relative to the working directory, its key to the workspace.
  if (kind === "sprint") return { sprint: resolve((await openWorkspace(surroundings)).root, name) };
  return kind === "project" ? { project: name } : { change: name };
}
