import type { HookConfig } from "../../config/config.ts";
import { RalphError } from "../../domain/error.ts";
import type { Hook, HookPoint, HookWork } from "../../domain/hook.ts";
import { shippedHook } from "../../domain/shipped-hook.ts";
import { readHookWorkflow } from "../../scope/scope.ts";
import { platform } from "../../system/platform.ts";
import { notifyHooks } from "./notify-hooks.ts";
import type { OpenSprint } from "../sprint/open-sprint.ts";
import type { Surroundings, Workspace } from "../workspace.ts";

/** A hook as written, with its place: `hooks[0]` and `file .ralph/config.yaml line 7`. */
export interface WrittenHook extends HookConfig {
  readonly key: string;
  /** The place of one of its keys. */
  readonly placeOf: (name: string) => string;
}

/** The hooks of the configuration. */
const configuredHooks = ({ config, lookup }: Workspace): WrittenHook[] =>
  config.hooks.map((hook, index) => ({
    ...hook,
    key: `hooks[${index}]`,
    placeOf: (name) => lookup(`hooks.${index}.${name}`).origin.text,
  }));

/** All hooks of a run: of the configuration, then of its sprint. */
export const hooksOf = async (
  workspace: Workspace,
  sprint: OpenSprint | undefined,
  env: Surroundings["env"],
): Promise<Hook[]> => [
  ...(await prepareHooks([...configuredHooks(workspace), ...(sprint?.hooks ?? [])], workspace, env)),
  ...notifyHooks(workspace, env),
];

/** Prepares the enabled hooks. Disabled ones may name missing things. */
export async function prepareHooks(
  written: readonly WrittenHook[],
  workspace: Workspace,
  env: Surroundings["env"],
): Promise<Hook[]> {
  const hooks: Hook[] = [];
  for (const hook of written.filter(({ enabled }) => enabled)) {
    const { on, work } = await workOf(hook, workspace, env);
    const id = idOf(hook);
    if (hooks.some((other) => other.id === id)) {
      throw new RalphError(
        "config",
        `${hook.key} has the id ${id}, which another hook already has (${hook.placeOf("id")})`,
        { hint: "Give it another id" },
      );
    }
    const timeoutMs = hook.timeout ?? workspace.config.limits.hook;
    hooks.push({ id, on: hook.on ?? on, work, parallel: hook.parallel, timeoutMs });
  }
  return hooks;
}

/** The name of a hook, by which a sprint changes it. */
export const idOf = ({ id, use }: Pick<HookConfig, "id" | "use">): string => id ?? use ?? "";

const AT_THE_END: readonly HookPoint[] = ["iteration-end"];

async function workOf(
  hook: WrittenHook,
  workspace: Workspace,
  env: Surroundings["env"],
): Promise<Pick<Hook, "on" | "work">> {
  const { run, prompt, workflow, use } = hook;
  if (use !== null) return shippedHook(use, { url: use === "webhook" ? urlOf(hook, env) : "", platform: platform() });
  if (run !== null) return { on: AT_THE_END, work: { kind: "command", run } };
  if (prompt !== null) return { on: AT_THE_END, work: { kind: "prompt", prompt } };
  // The schema has seen to it that there is one of the four.
  return { on: AT_THE_END, work: await workflowOf(hook, workflow!, workspace) };
}

async function workflowOf(hook: WrittenHook, name: string, { root, config }: Workspace): Promise<HookWork> {
  const { workflows, plugins } = config;
  const found = await readHookWorkflow(name, { root, workflows, plugins });
  if (found.kind === "found") return { kind: "workflow", name, phases: found.phases };
  const [plugin, file = name] = name.includes(":") ? name.split(":") : [];
  const places = found.places.map((folder) => `${folder}/${file.replace(/\.ya?ml$/, "")}.yaml`);
  const isUnknownPlugin = plugin !== undefined && places.length === 0;
  throw new RalphError(
    "config",
    `${hook.key}.workflow names a workflow that does not exist: ${JSON.stringify(name)} (${hook.placeOf("workflow")})`,
    {
      hint: isUnknownPlugin
        ? `Say where its workflows are: plugins: { ${plugin}: FOLDER }`
        : `Create ${places.join(" or ")}, or disable the hook: enabled: false`,
    },
  );
}

/** Addresses of webhooks are secrets, and files are committed: a variable may hold one. */
function urlOf(hook: WrittenHook, env: Surroundings["env"]): string {
  const written = hook.url ?? "";
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(written)?.[1];
  const url = variable === undefined ? written : (env[variable] ?? "");
  const place = hook.placeOf("url");
  if (variable !== undefined && url === "") {
    throw new RalphError("config", `${hook.key}.url names the variable ${variable}, which is not set (${place})`, {
      hint: `Set ${variable}, or disable the hook: enabled: false`,
    });
  }
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  throw new RalphError("config", `${hook.key}.url must be a URL that begins with https:// or http:// (${place})`, {
    hint: "Correct it; ralphctl does not show the value, because webhook URLs are secrets",
  });
}
