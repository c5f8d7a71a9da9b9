import { posix } from "node:path";
import type { Mapping } from "../../domain/mapping.ts";
import { calmText } from "../../domain/short-lines.ts";
import type { Look } from "../source.ts";
import { partsOf } from "./parts.ts";
import type { DecidingPath, Resolution } from "./resolution.ts";
import { toolsOf } from "./own-settings.ts";
import { wordsRead } from "./read-data.ts";
import { toolsIn } from "./settings.ts";
import { readShell, TOP, UNKNOWN } from "./shell.ts";
import { switchesIn } from "./switches.ts";
import { createBreather } from "../../system/breather.ts";

/** One command on the way from a gate to what it runs. */
export interface Call {
  /** Its name without its folder. */
  readonly program: string;
  /** As it is written. */
  readonly path: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly isRead: boolean;
  readonly depth: number;
  /** The script that the command is in; undefined: the gate itself. */
  readonly from?: string | undefined;
}

/** Follows the calls that it knows; false for all others, at once where that is easy to tell. */
export type Resolver = (call: Call, walk: Walk) => boolean | Promise<boolean>;

export interface FollowPlace {
  readonly folder: string;
  readonly depth: number;
  readonly isRead?: boolean;
  readonly from?: string | undefined;
}

/** What the resolvers find on their way. */
export interface Walk {
  readonly look: Look;
  /** Adds a path that decides. */
  readonly decide: (path: DecidingPath) => void;
  readonly cannotFollow: (what: string) => void;
  /** The gate's own definition is not in the base: the work adds it. */
  readonly markNew: () => void;
  /** Follows all commands of a shell text. */
  readonly follow: (text: string, place: FollowPlace) => Promise<void>;
  readonly followWords: (words: readonly string[], place: FollowPlace) => Promise<void>;
  /** The text of a file, read once. */
  readonly text: (path: string) => Promise<string | undefined>;
  /** The parts of a file, read once. */
  readonly parts: (path: string) => Promise<Mapping | undefined>;
  /** Adds a folder in which programs are looked for by their names. */
  readonly search: (folder: string | undefined) => void;
  readonly searched: ReadonlySet<string>;
  /** Adds words by which the tools of a gate are known. */
  readonly mention: (text: string) => void;
  /** Adds a file from which a check may read. */
  readonly read: (path: string | undefined) => void;
}

/** What is known of the commands that were followed. */
export interface WalkedCommands {
  /** All commands that were followed: they name the tools whose configuration takes effect. */
  readonly text: string;
  /** The folders in which commands run. */
  readonly folders: ReadonlySet<string>;
  /** The names of all programs that are started. */
  readonly programs: ReadonlySet<string>;
  /** Folders that commands put on their PATH. */
  readonly searched: ReadonlySet<string>;
  /** The tools among the programs, by the names that their files may have. */
  readonly tools: ReadonlySet<string>;
  /** Files that commands name, and patterns for them: what they are for, nothing tells. Few changes ask for them. */
  readonly reads: () => ReadonlySet<string>;
}

/** A resolution with what is needed to judge changed paths. */
export interface Walked extends Resolution, WalkedCommands {
  /** The gate's own definition is not in the base. */
  readonly isNew: boolean;
}

const DEEPEST = 12;
const MOST_CALLS = 20_000;

interface WalkRules {
  readonly look: Look;
  readonly folder: string;
  readonly resolvers: readonly Resolver[];
  /** Adds what follows from all commands together. */
  readonly finish: (walk: Walk, found: WalkedCommands) => Promise<void>;
}

/** Follows a command as far as the resolvers know the way. */
export async function walkFrom(run: string, { look, folder, resolvers, finish }: WalkRules): Promise<Walked> {
  const decides = new Map<string, DecidingPath>();
  const { notFollowed, seen, folders, programs, texts, searched, tools, reads, inText, breathe } = freshState();
  let isNew = false;
  const walk: Walk = {
    look,
    decide(found) {
      const key = `${found.path}\0${found.isDefinition}\0${found.isTest === true}`;
      decides.set(key, merged(decides.get(key), found));
    },
    cannotFollow: (what) => void notFollowed.add(what),
    markNew: () => {
      isNew = true;
    },
    searched,
    search: (at) => void (at === undefined || searched.add(at)),
    mention: (text) => void texts.add(text),
    read: reads.add,
    text: once(async (path) => calmText(await look.text(path))),
    parts: once(async (path) => {
      const text = await walk.text(path);
      return text === undefined ? undefined : partsOf(path, text);
    }),
    async follow(text, place) {
      const key = `${place.folder}\0${text}`;
      if (place.depth > DEEPEST || seen.has(key) || seen.size > MOST_CALLS) return;
      seen.add(key);
      texts.add(text);
      for (const word of inText(text).switches) {
        const path = pathIn(place.folder, word);
        if (path === undefined || path === "" || (await look.has(path))) continue;
        const why = "a script goes another way if it exists";
        for (const name of [path, `${path}/**`]) walk.decide({ path: name, why, isDefinition: false });
      }
      for (const { words, folder, isRead } of inText(text).commands) {
        const at = folder === undefined ? undefined : pathIn(place.folder, folder);
        if (at === undefined) notFollowed.add(`\`${shown(words)}\`: runs in a folder that only the shell knows`);
        else await walk.followWords(words, { ...place, folder: at, isRead: isRead || place.isRead === true });
      }
    },
    async followWords([path, ...args], { folder, depth, isRead = false, from }) {
      if (path === undefined || path === "") return;
      if (path.includes(UNKNOWN)) {
        notFollowed.add(`\`${shown([path, ...args])}\`: only the shell knows which program that is`);
        return;
      }
      folders.add(folder);
      programs.add(posix.basename(path));
      for (const tool of toolsOf(path, args)) tools.add(tool);
      reads.later({ program: posix.basename(path), args, folder });
      const call = { program: posix.basename(path), path, args, folder, isRead, depth, from };
      for (const isFollowed of answers(resolvers, call, walk)) if (await isFollowed) return await breathe();
    },
  };
  await walk.follow(run, { folder, depth: 0 });
  const commands = { folders, text: [...texts].join("\n"), programs, searched, tools, reads: reads.all };
  await finish(walk, commands);
  const byName = toolsIn(commands.text);
  return { decides: [...decides.values()], notFollowed: [...notFollowed], byName, isNew, ...commands };
}

/** Most say no at once, and in large workspaces to wait for each takes longer than to ask. */
function* answers(resolvers: readonly Resolver[], call: Call, walk: Walk): Generator<boolean | Promise<boolean>> {
  for (const resolve of resolvers) {
    const answer = resolve(call, walk);
    if (answer !== false) yield answer;
  }
}

const freshState = () => ({
  breathe: createBreather(),
  notFollowed: new Set<string>(),
  seen: new Set<string>(),
  folders: new Set<string>(),
  programs: new Set<string>(),
  texts: new Set<string>(),
  searched: new Set<string>(),
  tools: new Set<string>(),
  reads: filesRead(),
  // Hundreds of packages may have the same script, each in its own folder.
  inText: once((text) => ({ switches: switchesIn(text), commands: readShell(text, "") })),
});

type Reader = Pick<Call, "program" | "args" | "folder">;

/** The files from which checks may read. Of most commands nobody asks for them. */
function filesRead() {
  const found = new Set<string>();
  const readers: Reader[] = [];
  const add = (path: string | undefined): void => void (path === undefined || path === "" || found.add(path));
  const all = (): ReadonlySet<string> => {
    for (const { program, args, folder } of readers.splice(0))
      for (const word of wordsRead(program, args)) add(pathIn(folder, word));
    return found;
  };
  return { add, later: (reader: Reader): void => void readers.push(reader), all };
}

/** Remembers the answers. */
function once<Answer extends object>(ask: (asked: string) => Answer): (asked: string) => Answer {
  const known = new Map<string, Answer>();
  return (asked) => {
    const answered = known.get(asked);
    if (answered !== undefined) return answered;
    const answer = ask(asked);
    known.set(asked, answer);
    return answer;
  };
}

/** A command as a person reads it. */
export const shown = (words: readonly string[]): string =>
  words.join(" ").replaceAll(UNKNOWN, "…").replaceAll(`${TOP}/`, "").replaceAll(TOP, ".").slice(0, 80);

function merged(before: DecidingPath | undefined, found: DecidingPath): DecidingPath {
  if (before === undefined) return found;
  const { keys: _, ...whole } = before;
  if (before.keys === undefined || found.keys === undefined) return whole;
  return { ...before, keys: [...new Set([...before.keys, ...found.keys])] };
}

/** The path that a word means in a folder, from the top; undefined for one outside or one that only the shell knows. */
export function pathIn(folder: string, word: string): string | undefined {
  if (word.includes(UNKNOWN)) return undefined;
  if (word.startsWith("/") || word.startsWith("~")) return undefined;
  const path = posix
    .normalize(word.startsWith(TOP) ? `.${word.slice(1)}` : posix.join(folder, word))
    .replace(/\/$/, "");
  if (path === "." || path === "") return "";
  return path === ".." || path.startsWith("../") ? undefined : path;
}

/** A path below a folder that may be the top. */
export const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
