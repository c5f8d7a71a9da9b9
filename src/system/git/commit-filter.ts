import { lstat, readFile, readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { formatSize } from "../../domain/size.ts";
import { codeOf } from "../error-code.ts";
import { isBelow } from "../folder.ts";
import { decodePath } from "./path.ts";
import { absolute, NESTED, type PathState } from "./hash.ts";
import type { Repository } from "./repository.ts";

/** A path that a commit of ours leaves out, and why, as the end of "it is left out: …". */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export interface CommitRules {
  readonly maxFileBytes: number;
  /** Paths that were dirty when the run began: the user's own work. */
  readonly userPaths: readonly string[];
}

/** P-32: why a commit must not take this path; undefined when it may. */
export async function whyLeftOut(
  repository: Repository,
  { path, now }: PathState,
  rules: CommitRules,
): Promise<string | undefined> {
  if (rules.userPaths.includes(path)) return "you had uncommitted changes in it before the run";
  if (now === undefined) return undefined;
  if (now === NESTED || now.hash === NESTED.hash) return "it is a nested git repository";
  if (now.mode === "160000") return now.hash.includes(" ") ? "files inside this submodule changed" : undefined;
  if (now.mode === "120000")
    return (await leadsOut(repository, path)) ? "the link points outside the workspace" : undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^\.env/i.test(name)) return "files named .env* may hold secrets";
  if (KEY_NAME.test(name)) return "it looks like a private key";
  const { size } = await lstat(absolute(repository, path));
  if (size > rules.maxFileBytes) return `it is larger than ${formatSize(rules.maxFileBytes)}`;
  return await whatContentForbids(absolute(repository, path));
}

const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:key|p12|pfx|jks|keystore|ppk)$/i;

/** At the beginning of a line, near the beginning of the file: source code about keys has them inside quotes. */
const KEY_HEAD = /^(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d)/m;
const HEAD_BYTES = 8 * 1024;

async function whatContentForbids(file: Buffer): Promise<string | undefined> {
  const content = await readFile(file, "latin1");
  if (KEY_HEAD.test(content.slice(0, HEAD_BYTES))) return "it contains a private key";
  return hasConflict(content) ? "it contains conflict markers" : undefined;
}

/** All three markers of git's, each at the beginning of its line, in order. */
function hasConflict(content: string): boolean {
  const ours = lineWith(content, "<<<<<<< ", 0);
  const middle = ours < 0 ? -1 : lineWith(content, "=======", ours);
  return middle >= 0 && lineWith(content, ">>>>>>> ", middle) >= 0;
}

function lineWith(content: string, start: string, from: number): number {
  if (from === 0 && content.startsWith(start)) return 0;
  return content.indexOf(`\n${start}`, from);
}

/** Both as it is written and where it ends up: a link may lead through others. */
async function leadsOut(repository: Repository, path: string): Promise<boolean> {
  const link = absolute(repository, path);
  const target = decodePath(await readlink(link, { encoding: "buffer" }));
  const written = resolve(dirname(decodePath(link)), target);
  if (!isBelow(repository.folder, written)) return true;
  try {
    const [root, end] = [await realpath(repository.folder), await realpath(link, { encoding: "buffer" })];
    return !isBelow(root, decodePath(end));
  } catch (cause) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause))) return false; // it leads nowhere, so not out either
    throw cause;
  }
}
