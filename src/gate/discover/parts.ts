import { posix } from "node:path";
import type { PinnedGate } from "../../domain/gate.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Look } from "../source.ts";
import type { SetupCommand } from "./setup.ts";

/** What a folder with a project of its own has. */
const MANIFEST =
  /^(?:package\.json|deno\.jsonc?|Cargo\.toml|go\.mod|pyproject\.toml|setup\.py|composer\.json|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|Package\.swift|(?:GNU)?[Mm]akefile)$/;
/** Folders that are part of another project, or of none. A name with a dot is rarely one. */
const PASSED =
  /\.|^(?:node_modules|vendor|third_party|dist|build|target|out|tmp|docs?|examples?|samples?|fixtures?|tests?|testdata|templates?|__\w*)$/;
const DEPTH = 3;
const MOST = 20;

/** The folders that hold a project each, for a repository whose top has none: `web`, `services/api`. */
export async function partFolders(look: Look, above = "", depth = 1): Promise<string[]> {
  const names = (await look.names(above)).filter((name) => !PASSED.test(name)).toSorted();
  const found: string[] = [];
  for (const name of names) {
    const folder = posix.join(above, name);
    const isPart = (await look.names(folder)).some((each) => MANIFEST.test(each));
    found.push(...(isPart ? [folder] : depth < DEPTH ? await partFolders(look, folder, depth + 1) : []));
    if (found.length >= MOST) return found.slice(0, MOST);
  }
  return found;
}

/** A project in a folder, as the sources read it. */
export const partLook = (look: Look, folder: string): Look => ({
  text: async (path) => await look.text(posix.join(folder, path)),
  has: async (path) => await look.has(posix.join(folder, path)),
  names: async (path) => await look.names(posix.join(folder, path)),
});

const LONGEST_ID = 64;

/** The gates of a part as gates of the whole. */
export function gatesOfPart(folder: string, gates: readonly PinnedGate[]): PinnedGate[] {
  const named = (id: string): string => `${folder.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}-${id}`.slice(-LONGEST_ID);
  return gates.map(({ id, run, at, within, instead, ...gate }) => ({
    ...gate,
    id: named(id),
    run: `cd ${shellWord(folder)} && ${run}`,
    ...(at !== undefined && { at: posix.join(folder, at) }),
    ...(within !== undefined && { within: named(within) }),
    ...(instead !== undefined && { instead: named(instead) }),
  }));
}

/** How all parts are prepared, each in its own folder. */
export function setupOfParts(
  parts: readonly (readonly [folder: string, { readonly setup: SetupCommand | undefined }])[],
): SetupCommand | undefined {
  const own = parts.flatMap(([folder, { setup }]) => (setup === undefined ? [] : [{ folder, setup }]));
  if (own.length === 0) return undefined;
  return {
    command: own.map(({ folder, setup: { command } }) => `(cd ${shellWord(folder)} && ${command})`).join(" && "),
    files: own.flatMap(({ folder, setup }) => setup.files.map((file) => posix.join(folder, file))),
  };
}
