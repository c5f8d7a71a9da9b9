import { join } from "node:path";
import { editConfigText } from "../config/config.ts";
import { INCLUDE } from "../lane/included-files.ts";
import { CONFIG, type RoomLines, settingsOf } from "../lane/room-advice.ts";
import { checkInside, pathExists, replaceText, writeAtomic } from "../system/folder.ts";
export { describeDifference, describeLines, hasLines } from "../lane/room-advice.ts";
export type { RoomLines } from "../lane/room-advice.ts";
import { commitPaths, git, type GitPlace, ignoredPaths } from "../system/git/git.ts";
import { readTextFile } from "../system/text-file.ts";

export interface WrittenLines {
  readonly written: readonly string[];
  /** Files in which there is no simple place for the lines: they are as they were. */
  readonly refused: readonly string[];
}

/** Writes lines that were offered and accepted, into the two files that they are for. */
export async function writeRoomLines(root: string, lines: RoomLines): Promise<WrittenLines> {
  const settings = Object.fromEntries(settingsOf(lines).map(({ group, values }) => [group, values]));
  const edits: readonly Edit[] = [
    { path: INCLUDE, isWanted: lines.include.length > 0, edit: async (text) => withLines(text, lines.include) },
    {
      path: CONFIG,
      isWanted: Object.keys(settings).length > 0,
      edit: async (text) => await editConfigText(text, settings),
    },
  ];
  const [written, refused]: [string[], string[]] = [[], []];
  for (const { path, isWanted, edit } of edits) {
    if (isWanted) ((await isEdited(root, path, edit)) ? written : refused).push(path);
  }
  return { written, refused };
}

interface Edit {
  readonly path: string;
  readonly isWanted: boolean;
  readonly edit: (text: string) => Promise<string | undefined>;
}

async function isEdited(root: string, path: string, edit: Edit["edit"]): Promise<boolean> {
  const full = join(root, path);
  await checkInside(root, full);
  const from = (await readTextFile(full, { limitBytes: 1024 * 1024, what: path })) ?? "";
  const to = await edit(from);
  if (to === undefined) return false;
  if (pathExists(full)) return (await replaceText(full, { from, to })) === "written";
  await writeAtomic(full, to);
  return true;
}

function withLines(text: string, lines: readonly string[]): string {
  const known = new Set(text.split(/\r?\n/));
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return (
    before +
    lines
      .filter((line) => !known.has(line))
      .map((line) => `${line}\n`)
      .join("")
  );
}

/** Commits files of lines. Returns the short hash; undefined if there is nothing that git would commit. */
export async function commitRoomLines(place: GitPlace, paths: readonly string[]): Promise<string | undefined> {
  const ignored = new Set(await ignoredPaths(place, paths));
  const known = paths.filter((path) => !ignored.has(path));
  return known.length === 0 ? undefined : await commitPaths(place, known, "Let gates run in a fresh checkout");
}

/** Whether there is a commit to check out. */
export const hasCommit = async (place: GitPlace): Promise<boolean> =>
  (await git(place, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).code === 0;
