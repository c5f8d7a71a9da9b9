import type { FileState } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";

/** What a person's index and files have beyond HEAD; files that git does not know are not among it. */
export interface UserChanges {
  /** The commit of HEAD. */
  readonly head: string | undefined;
  /** By path: the state in the index; undefined if it is removed there, or in conflict. */
  readonly staged: ReadonlyMap<string, FileState | undefined>;
  /** Paths whose files differ from the index. */
  readonly touched: ReadonlySet<string>;
}

const STATUS = ["status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "-uno", "--no-renames"];

/** Reads both with one git. The index is not written. */
export async function readUserChanges(tree: Repository): Promise<UserChanges> {
  const args = ["--no-optional-locks", ...QUIET, ...STATUS, "--ignore-submodules=none"];
  const staged = new Map<string, FileState | undefined>();
  const touched = new Set<string>();
  let head: string | undefined;
  for (const field of splitNul((await mustBytes(tree, args)).stdout)) {
    const [kind, states = "", ...rest] = field.toString("latin1").split(" ");
    if (kind === "#" && states === "branch.oid") head = rest[0];
    const fields = PATH_AT[kind ?? ""];
    if (fields === undefined) continue;
    const path = decodePath(Buffer.from(rest.slice(fields - 2).join(" "), "latin1"));
    const [, , mode = "", , , hash = ""] = rest;
    const isGone = kind === "u" || /^0+$/.test(mode);
    if (states[0] !== ".") staged.set(path, isGone ? undefined : { mode, hash });
    if (states[1] !== ".") touched.add(path);
  }
  return { head, staged, touched };
}

/** `1 XY sub mH mI mW hH hI path`, and `u XY sub m1 m2 m3 mW h1 h2 h3 path` in a conflict. */
const PATH_AT: Readonly<Record<string, number>> = { "1": 8, u: 10 };
