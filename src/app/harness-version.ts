import { basename, delimiter, join } from "node:path";
import { parseMapping } from "../domain/mapping.ts";
import { isOlder, readVersion } from "../domain/program-version.ts";
import type { Environment } from "../domain/environment.ts";
import type { Facts } from "../harness/harness.ts";
import { makeFolder, textIn, writeAtomic } from "../system/folder.ts";
import { stampOf } from "../system/process/programs.ts";
import { programAnswer, type Question } from "../system/process/program-answer.ts";
import { stateFolder } from "../system/state-folder.ts";
import type { ReadyHarness } from "./run/check-harnesses.ts";

/** What a person should know about the version of an agent. `news` is worth telling once. */
export interface VersionNote {
  readonly kind: "older" | "newer" | "news";
  readonly text: string;
}

/** Agents release every few days, so a newer version is news; only another major version may well be different. */
export function versionNote(facts: Facts, version: string): VersionNote | undefined {
  const { title, minimumVersion = "0.0.0", testedVersion = version } = facts;
  if (isOlder(version, minimumVersion)) {
    const text = `${title} ${version} is older than ${minimumVersion}, the oldest supported version`;
    return { kind: "older", text };
  }
  if (!isOlder(testedVersion, version)) return undefined;
  const isMajor = Number(version.split(".")[0]) > Number(testedVersion.split(".")[0]);
  const text = `${title} ${version} is newer than ${testedVersion}, the version that ralphctl was tested with`;
  return { kind: isMajor ? "newer" : "news", text };
}

/** The version that a program reports; undefined: it does not. */
export async function askVersion(file: string, about: Omit<Question, "file" | "args">): Promise<string | undefined> {
  const answer = await programAnswer({ ...about, file, args: ["--version"] });
  return answer && (readVersion(answer.output) ?? readVersion(answer.errors));
}

const TIMEOUT_MS = 20_000;

/** What is known of a program until its file changes. */
interface Known {
  readonly stamp: string;
  /** None: it does not tell. */
  readonly version?: string | undefined;
}

/** One look per run at the version of each agent. Programs that have not changed since the last look are not started. */
export async function versionWarnings(
  harnesses: readonly ReadyHarness[],
  { env, stop }: { readonly env: Environment; readonly stop?: AbortSignal | undefined },
): Promise<string[]> {
  const folder = stateFolder(env);
  const path = folder && join(folder, "ralphctl", "versions.json");
  const known = { ...parseMapping(textIn(path ?? "") ?? "") } as Record<string, Known | undefined>;
  const asked = new Map<string, Promise<Known>>();
  const looks = harnesses.map(async ({ harness, settings }): Promise<string[]> => {
    const file = programOf(harness.facts, settings.bin, settings.env["PATH"] ?? env["PATH"] ?? "");
    const stamp = file && stampOf(file);
    if (file === undefined || stamp === undefined) return [];
    const isKnown = known[file]?.stamp === stamp;
    if (!isKnown && !asked.has(file)) asked.set(file, ask(file, stamp, { env: { ...env, ...settings.env }, stop }));
    const { version } = (await asked.get(file)) ?? known[file]!;
    const note = typeof version === "string" ? versionNote(harness.facts, version) : undefined;
    return note !== undefined && (note.kind !== "news" || !isKnown) ? [note.text] : [];
  });
  const warnings = await Promise.all(looks);
  for (const [file, answer] of asked) known[file] = await answer;
  // A program that was not waited for may well tell its version the next time.
  if (asked.size > 0 && path !== undefined && stop?.aborted !== true) await remember(path, known);
  return [...new Set(warnings.flat())];
}

const ask = async (
  file: string,
  stamp: string,
  { env, stop }: { readonly env: Environment; readonly stop: AbortSignal | undefined },
): Promise<Known> => ({
  stamp,
  version: await askVersion(file, { env, cwd: "/", timeoutMs: TIMEOUT_MS, signal: stop }),
});

/** The program's file. One with another name is the person's own script, which may do anything when it is started. */
function programOf({ program }: Facts, bin: string | null, searchPath: string): string | undefined {
  if (program === undefined || (bin !== null && basename(bin) !== program)) return undefined;
  if (bin?.includes("/")) return bin;
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => stampOf(file) !== undefined);
}

/** Only saves the next look: a home that cannot be written is no reason to fail. */
async function remember(path: string, known: object): Promise<void> {
  try {
    await makeFolder(join(path, ".."));
    await writeAtomic(path, `${JSON.stringify(known, undefined, 2)}\n`);
  } catch {
    // The next run looks again.
  }
}
