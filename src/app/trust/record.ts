import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { RalphError } from "../../domain/error.ts";
import { groupBy } from "../../domain/group.ts";
import { parseMapping } from "../../domain/mapping.ts";
import type { TrustFact } from "../../domain/trust-facts.ts";
import type { Environment } from "../../domain/environment.ts";
import { entriesIn, makeFolder, pathExists, removeAll } from "../../system/folder.ts";
import { rewriteLocked } from "../../system/file-lock.ts";
import { readTextFile } from "../../system/text-file.ts";
import { stateFolder } from "../../system/state-folder.ts";
import type { TrustArea } from "./gather.ts";
import { trustedPlace } from "./trusted-place.ts";

const VERSION = 1;
const LIMIT_BYTES = 16 * 1024 * 1024;

/** Branches differ, and so do their files: to switch back must not ask again. */
const KEPT = 20;

const fact = z.object({ key: z.string(), value: z.string(), isStrong: z.boolean() });
const schema = z.object({
  version: z.literal(VERSION),
  repository: z.string(),
  folder: z.string(),
  areas: z.record(
    z.string(),
    // `facts`: those of the newest. `store`: the database of the tasks, whatever is in it.
    z.object({ hashes: z.array(z.string()), facts: z.array(fact), at: z.string(), store: z.optional(z.string()) }),
  ),
});

/** The area of the tasks. */
export const TASKS = "tasks";

interface TrustedArea {
  readonly hashes: readonly string[];
  readonly facts: readonly TrustFact[];
  readonly at: string;
  readonly store?: string | undefined;
}

/** The yes of a person to what a repository starts and sets. Written out: declarations may not name a library. */
export interface TrustRecord {
  readonly version: number;
  /** The git folder that all working trees share, and the workspace in them. */
  readonly repository: string;
  readonly folder: string;
  readonly areas: Readonly<Record<string, TrustedArea>>;
}

/** Where it is kept: outside of every repository. Undefined: the environment does not say where a home is. */
export function trustFile(root: string, env: Environment): string | undefined {
  const folder = trustFolder(env);
  if (folder === undefined) return undefined;
  const place = trustedPlace(root);
  const hash = createHash("sha256").update(`${place.repository}\0${place.folder}`).digest("hex").slice(0, 16);
  const name = basename(place.repository) === ".git" ? basename(dirname(place.repository)) : basename(place.repository);
  return join(folder, `${name}-${hash}.json`);
}

const trustFolder = (env: Environment): string | undefined => {
  const state = stateFolder(env);
  return state && join(state, "ralphctl", "trust");
};

/** Undefined: nobody has said anything yet. */
export async function readTrust(file: string): Promise<TrustRecord | undefined> {
  const text = await readTextFile(file, { limitBytes: LIMIT_BYTES, what: `The trust file ${file}` });
  return text === undefined ? undefined : parseTrust(file, text);
}

function parseTrust(file: string, text: string): TrustRecord {
  const data = parseMapping(text);
  const version = data?.["version"];
  if (typeof version === "number" && version > VERSION) {
    throw new RalphError("data", `A newer ralphctl wrote the trust file ${file}`, {
      hint: "Update ralphctl, or add --trust to trust this repository for one command",
    });
  }
  const read = schema.safeParse(data);
  if (read.success) return read.data;
  throw new RalphError("data", `The trust file ${file} is damaged`, {
    hint: `Move it away, and ralphctl asks again: mv ${file} ${file}.old`,
  });
}

/** Remembers a yes. Two at once both count. */
export async function writeTrust(file: string, root: string, areas: readonly TrustArea[]): Promise<void> {
  await rewrite(file, root, (before) => {
    const told = areas.filter(({ name, facts }) => facts.length > 0 || before?.areas[name] !== undefined);
    return [...groupBy(told, ({ name }) => name)].map(([name, [first, ...more]]) => {
      const { hash, facts, store } = first!;
      const hashes = new Set([hash, ...more.map((other) => other.hash), ...(before?.areas[name]?.hashes ?? [])]);
      const kept = { hashes: [...hashes].slice(0, KEPT), facts, at: now() };
      return [name, { ...kept, store: store ?? before?.areas[name]?.store }];
    });
  });
}

/** Remembers a database that the person has just made: gates of its tasks are theirs. */
export async function trustStore(file: string, root: string, store: string): Promise<void> {
  await rewrite(file, root, (before) => {
    const { hashes = [], facts = [] } = before?.areas[TASKS] ?? {};
    return [[TASKS, { hashes, facts, at: now(), store }]];
  });
}

const now = (): string => new Date().toISOString();

async function rewrite(
  file: string,
  root: string,
  change: (before: TrustRecord | undefined) => [name: string, area: TrustedArea][],
): Promise<void> {
  await makeFolder(dirname(file), { isPrivate: true });
  await rewriteLocked(file, (text) => {
    const before = text === undefined ? undefined : parseTrust(file, text);
    const areas = { ...before?.areas, ...Object.fromEntries(change(before)) };
    const record: TrustRecord = { version: VERSION, ...trustedPlace(root), areas };
    return `${JSON.stringify(record, undefined, 2)}\n`;
  });
}

/** Whether there was something to forget. */
export async function removeTrust(file: string): Promise<boolean> {
  const isThere = pathExists(file);
  await removeAll(file);
  return isThere;
}

/** What a person has trusted so far; files that cannot be read are named. */
export async function allTrust(
  env: Environment,
): Promise<{ readonly records: readonly TrustRecord[]; readonly unreadable: readonly string[] }> {
  const folder = trustFolder(env);
  const names = folder === undefined ? [] : await entriesIn(folder);
  const records: TrustRecord[] = [];
  const unreadable: string[] = [];
  for (const file of names.filter((name) => name.endsWith(".json")).map((name) => join(folder!, name))) {
    const record = await readTrust(file).catch(() => undefined);
    if (record === undefined) unreadable.push(file);
    else if (Object.values(record.areas).some(({ facts }) => facts.length > 0)) records.push(record);
  }
  return { records, unreadable };
}

/** The facts of the last yes. */
export const lastFacts = (record: TrustRecord | undefined, area: string): readonly TrustFact[] =>
  record?.areas[area]?.facts ?? [];
