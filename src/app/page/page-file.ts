import { createHash, randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { parseMapping, isMapping } from "../../domain/mapping.ts";
import type { Environment } from "../../domain/environment.ts";
import type { Owner, TaskId } from "../../domain/task.ts";
import { makeFolder, removeAll, textIn, writeAtomic } from "../../system/folder.ts";
import { isAlive, processIdentity } from "../../system/process/process-identity.ts";
import { stateFolder } from "../../system/state-folder.ts";
import { findStore } from "../task-store.ts";

/** A server of the page that runs. */
export interface KnownPage {
  readonly port: number;
  readonly token: string;
  readonly owner: Owner;
}

/** U-03: 256 bits, for one start. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** The fragment never leaves the browser. */
export const addressOf = ({ port, token }: Pick<KnownPage, "port" | "token">): string =>
  `http://127.0.0.1:${port}/#token=${token}`;

/** One for all working trees of a repository, outside of it. Undefined: the environment does not say where a home is. */
export async function pageFile(cwd: string, env: Environment): Promise<string | undefined> {
  const state = stateFolder(env);
  if (state === undefined) return undefined;
  const hash = createHash("sha256")
    .update((await findStore(cwd)).file)
    .digest("hex")
    .slice(0, 32);
  return join(state, "ralphctl", "page", `${hash}.json`);
}

/** U-03: for this user alone. Returns how to forget it, which needs no workspace: it may be gone by then. */
export async function rememberPage(
  cwd: string,
  env: Environment,
  page: Omit<KnownPage, "owner">,
): Promise<() => Promise<void>> {
  const file = await pageFile(cwd, env);
  if (file === undefined) return async () => undefined;
  await makeFolder(dirname(file), { isPrivate: true });
  await writeAtomic(file, `${JSON.stringify({ version: 1, ...page, owner: processIdentity() })}\n`, 0o600);
  return async () => {
    // Our own server, not one that was started later.
    if (pageIn(file)?.token === page.token) await removeAll(file);
  };
}

/** The server of this workspace that runs; undefined: none does. */
export async function findPage(cwd: string, env: Environment): Promise<KnownPage | undefined> {
  const file = await pageFile(cwd, env);
  return file === undefined ? undefined : pageIn(file);
}

function pageIn(file: string): KnownPage | undefined {
  const { version, port, token, owner } = parseMapping(textIn(file) ?? "") ?? {};
  if (version !== 1 || typeof port !== "number" || typeof token !== "string" || !isMapping(owner)) return undefined;
  const { host, pid, startTime } = owner;
  if (typeof host !== "string" || typeof pid !== "number" || typeof startTime !== "string") return undefined;
  const known = { port, token, owner: { host, pid, startTime } };
  return isAlive(known.owner) === true ? known : undefined;
}

/** U-11: a place of the page for a message that others carry and keep, so without the token: an open tab has it. */
export async function pageLink(
  task: TaskId | undefined,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<string | undefined> {
  const page = await findPage(cwd, env);
  return page && `http://127.0.0.1:${page.port}/#/${task === undefined ? "needs" : `task/${encodeURIComponent(task)}`}`;
}
