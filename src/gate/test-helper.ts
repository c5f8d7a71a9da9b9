import { matchesAny } from "../domain/glob.ts";
import type { Look } from "./source.ts";

/** Folders and files that support tests by their names. Some projects use such a name for their work, too. */
const HELPERS =
  "test[-_]?(?:utils?|helpers?|support|kit|lib|data|setup)|testing|spec_helper|rails_helper|fixtures?|factories|mocks?|stubs?|fakes?|helpers?|support|expected|golden|snapshots?|approved|baselines?|cases|vectors|samples?|answers|setup";
const BY_NAME = new RegExp(String.raw`(?:^|/)(?:__)?(?:${HELPERS})(?:__)?(?:[-_.][^/]*)?(?=/|$)`, "i");
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|php|java|kts?|cs|c|cc|cpp|h|hpp|sh|bash|ex|exs|swift|scala)$/;

/** Whether a name says that a file may be there for tests only. */
export const mayBeTestHelper = (path: string): boolean => BY_NAME.test(path);

/** How code calls a file: by its name without the ending, or by its folder if that name says nothing. */
export function calledName(path: string): string {
  const steps = path.split("/");
  const file = steps.pop()!;
  const stem = CODE.test(file) ? file.replace(/(?:\.d)?\.\w+$/, "") : file;
  return /^(?:index|__init__|mod|main)$/.test(stem) && steps.length > 0 ? steps.at(-1)! : stem;
}

interface Users {
  readonly base: Look;
  readonly testFiles: readonly string[];
  /** Files that contain the name. */
  readonly files: readonly string[];
}

/** T-11: whether tests load or read a file, and no other code does. */
export async function isTestHelper(path: string, { base, testFiles, files }: Users): Promise<boolean> {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  // A package of its own is work, whatever it is for.
  if (folder !== "" && (await isInPackage(base, folder))) return false;
  const name = calledName(path).replaceAll(/[^\w-]/g, String.raw`\$&`);
  const uses = new RegExp(
    String.raw`["'\x60/.]${name}(?:\.\w+)?["'\x60/]|\b(?:import|from|require|require_relative|use|mod|include|source)\b[^\n]*\b${name}\b`,
  );
  let isUsed = false;
  for (const file of files) {
    if (file === path || !CODE.test(file) || !uses.test((await base.text(file)) ?? "")) continue;
    if (!matchesAny(testFiles, file) && !mayBeTestHelper(file)) return false;
    isUsed ||= matchesAny(testFiles, file);
  }
  return isUsed;
}

async function isInPackage(base: Look, folder: string): Promise<boolean> {
  const steps = folder.split("/").slice(0, -1);
  for (const at of steps.keys()) {
    const above = steps.slice(0, at + 1).join("/");
    if (!mayBeTestHelper(above)) continue;
    if ((await base.names(above)).some((name) => /^(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$/.test(name)))
      return true;
  }
  return false;
}

const DECLARATION =
  /^(?:(?:export|async|pub|default)\s+)*(?:function\*?|def|class|const|func|fn)\s+(\w+)|^exports\.(\w+)\s*=/;
const REST = /^(?:\s|[)}\]]|\/\/|#|\/?\*|$)/;

/** Whether a file only got new names at its end: no test that was there uses these. */
export function hasOnlyNewNames(before: string, after: string): boolean {
  const old = before.trimEnd();
  if (!after.startsWith(old)) return false;
  return after
    .slice(old.length)
    .split("\n")
    .every((line) => {
      const [, declared, exported] = DECLARATION.exec(line) ?? [];
      const name = declared ?? exported;
      return name === undefined ? REST.test(line) : !new RegExp(String.raw`\b${name}\b`).test(old);
    });
}
