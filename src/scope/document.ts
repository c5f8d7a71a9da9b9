import { resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { SPEC_KIT, SPEC_KIT_FEATURES } from "../domain/layouts.ts";
import type { ScopeDocument } from "../domain/prompt/ralph-prompt.ts";
import { isScopeName } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import { compareIds, similarIds, resolveTarget } from "../domain/target.ts";
import { checkInside, foldersIn, pathExists } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";

/** The folders that may hold changes and modules. */
export interface DocumentPlace {
  /** The workspace. */
  readonly root: string;
  /** Layout roots below it, in order: the first one that knows an id decides. */
  readonly layouts: readonly string[];
}

/** A change or a module that was found. */
export interface FoundDocument {
  readonly id: string;
  /** Its folder, relative to the workspace. */
  readonly folder: string;
  /** Undefined when the folder has no such file. */
  readonly document: ScopeDocument | undefined;
}

/** The same where there must be one: none is an error that names those that are like it, or those there are. */
export async function documentOf(place: DocumentPlace, noun: DocumentKind, input: string): Promise<FoundDocument> {
  const found = await readDocument(place, noun, input);
  if (found !== undefined) return found;
  const kind = KINDS[noun];
  // By their folders, in which a module has its slug, too.
  const known = (await listDocuments(place, noun)).map(({ folder }) => folder.slice(folder.lastIndexOf("/") + 1));
  const [meant, ...others] = similarIds(input, known);
  const hint =
    meant !== undefined
      ? `Did you mean --${noun} ${[meant, ...others].map(shellWord).join(" or ")}?`
      : known.length > 0
        ? `Choose one of: ${known.slice(0, 8).join(", ")}`
        : `Create openspec/${kind.folder}/<id>/${kind.file}, or set layouts in the configuration`;
  throw new RalphError("usage", `Unknown ${noun} ${JSON.stringify(input)}`, { hint });
}

/** All of a kind, lowest id first; of those with one id, the one that the id stands for. */
export async function listDocuments(
  { root, layouts }: DocumentPlace,
  noun: DocumentKind,
): Promise<Pick<FoundDocument, "id" | "folder">[]> {
  const kind = KINDS[noun];
  const lists = await Promise.all(
    layouts.map(async (layout) =>
      (await documentsIn(root, layout, kind)).map((name) => ({
        id: kind.idOf(name),
        folder: `${folderFor(layout, kind)}/${name}`,
      })),
    ),
  );
  const all = lists.flat();
  const first = all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at);
  return first.toSorted((a, b) => compareIds(a.id, b.id));
}

export type DocumentKind = "change" | "module";

interface Kind {
  readonly folder: string;
  readonly file: string;
  readonly idOf: (folder: string) => string;
}

const KINDS: Readonly<Record<DocumentKind, Kind>> = {
  change: { folder: "changes", file: "proposal.md", idOf: (folder) => folder },
  module: {
    folder: "modules",
    file: "module.md",
    // What precedes the slug: `014` of `014_docs`. Only a part with a digit in it is an id: `user_accounts` is one word.
    idOf: (folder) => /^([^_]*\d[^_]*)_./.exec(folder)?.[1] ?? folder,
  },
};

/** A proposal that does not fit into a prompt is not one. */
const LIMIT_BYTES = 1024 * 1024;

/** The change or module that an id, its beginning, number or slug stands for; undefined when there is none. */
export async function readDocument(
  place: DocumentPlace,
  noun: DocumentKind,
  input: string,
): Promise<FoundDocument | undefined> {
  const kind = KINDS[noun];
  const lists = await Promise.all(
    place.layouts.map(async (layout) => ({ layout, folders: await documentsIn(place.root, layout, kind) })),
  );
  // A whole id is never beaten by an abbreviation, whatever the order of the roots.
  const exact = lists.find(({ folders }) => folders.includes(input));
  for (const { layout, folders } of exact ? [exact] : lists) {
    const target = resolveTarget(input, folders);
    if (target.kind === "ambiguous") {
      throw new RalphError("usage", `Ambiguous ${noun} id '${input}'. Matches: ${target.matches.join(", ")}`, {
        hint: `Write more of the id, for example --${noun} ${target.matches[0]}`,
      });
    }
    if (target.kind === "unique") return await found(place.root, `${folderFor(layout, kind)}/${target.id}`, kind);
  }
  return undefined;
}

async function found(root: string, folder: string, kind: Kind): Promise<FoundDocument> {
  const id = kind.idOf(folder.slice(folder.lastIndexOf("/") + 1));
  const file = isFeature(folder) ? "spec.md" : kind.file;
  const path = resolve(root, folder, file);
  await checkInside(root, path);
  const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: `${folder}/${file}` });
  return { id, folder, document: text === undefined ? undefined : { id, text } };
}

const folderFor = (layout: string, kind: Kind): string =>
  layout === SPEC_KIT && kind === KINDS.change ? SPEC_KIT_FEATURES : `${layout}/${kind.folder}`;

/** Whether the folder of a change is a feature of spec-kit. */
export const isFeature = (folder: string): boolean => /^specs\/[^/]+$/.test(folder);

// OpenSpec moves finished changes to changes/archive.
async function documentsIn(root: string, layout: string, kind: Kind): Promise<string[]> {
  const above = folderFor(layout, kind);
  const names = (await foldersIn(resolve(root, above))).filter((name) => name !== "archive" && isScopeName(name));
  // Other projects keep plain specs there: a list of tasks makes a feature.
  return above === SPEC_KIT_FEATURES
    ? names.filter((name) => pathExists(resolve(root, above, name, "tasks.md")))
    : names;
}
