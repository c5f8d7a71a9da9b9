import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { ioError } from "../io-error.ts";
import { isTaken } from "../folder.ts";
import { objectName } from "./hash.ts";
import type { Repository } from "./repository.ts";

/** Something that git shall have. */
export interface GitObject {
  readonly type: "blob" | "tree";
  readonly content: Uint8Array;
}

/**
 * Writes an object where git looks for it, as git does: compressed, under a name that it has only when it is whole, and
 * not waited for until the disk has it. One that is there stays. Starting a git for it would take far longer; only
 * where settings ask for other rights or for more patience (`writesObjects` is false) it must be git.
 */
export function storeObject(repository: Repository, { type, content }: GitObject): string {
  const name = objectName(repository, type, content);
  const objects = join(repository.commonFolder, "objects");
  const file = join(objects, name.slice(0, 2), name.slice(2));
  if (isTaken(file)) return name;
  // Git's own garbage collection knows these by their name.
  const draft = join(objects, `tmp_obj_${name.slice(0, 12)}_${process.pid}`);
  try {
    mkdirSync(join(objects, name.slice(0, 2)), { recursive: true });
    const head = Buffer.from(`${type} ${content.length}\0`);
    writeFileSync(draft, deflateSync(Buffer.concat([head, content]), { level: 1 }), { mode: 0o444 });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw ioError(`write ${file}`, cause);
  }
  return name;
}
