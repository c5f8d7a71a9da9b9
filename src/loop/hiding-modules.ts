import { matchesAny } from "../domain/glob.ts";
import type { DecidingChange } from "../gate/gate.ts";
import { filesAt } from "../system/git/base-paths.ts";
import { filesNaming } from "../system/git/grep.ts";
import type { Edited } from "./changed-helpers.ts";
import type { RunDeps } from "./run-deps.ts";

/** A module in one of the folders in which Python usually looks: this folder, and the name of the module. */
const MODULE = /^((?:(?:.*\/)?(?:src|lib|python)\/)?)([A-Za-z]\w*)(?:\.py|\/.+\.py)$/;
const IMPORT = /^[ \t]*(?:from|import)[ \t]+(\w+)/gm;

interface Module {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
}

/**
 * T-11: new modules of Python that old tests find in place of installed ones. If a gate was red, they may be what it asks
 * for; if it was green, it found such a module elsewhere.
 */
export async function hidingModules(
  { home, rules }: Pick<RunDeps, "home" | "rules">,
  { changes, head, base, gates }: Edited,
): Promise<DecidingChange[]> {
  const isTest = (path: string): boolean => matchesAny(rules.testFiles, path);
  const added = changes.flatMap(({ path, kind }): Module[] => {
    const [, folder, name] = (kind === "added" && !isTest(path) && MODULE.exec(path)) || [];
    return folder === undefined || name === undefined ? [] : [{ path, folder, name }];
  });
  if (added.length === 0) return [];
  const imported = new Set<string>();
  for (const path of await filesNaming(home, head, [...new Set(added.map(({ name }) => name))])) {
    if (!path.endsWith(".py") || !isTest(path)) continue;
    for (const [, name = ""] of ((await base.text(path)) ?? "").matchAll(IMPORT)) imported.add(name);
  }
  const found = added.filter(({ name }) => imported.has(name));
  if (found.length === 0) return [];
  const old = [...(await filesAt(home, head)).keys()];
  /** One of the repository's own that moves, or a part of a package. */
  const isOwn = ({ folder, name }: Module): boolean =>
    old.some(
      (path) => path === `${folder}__init__.py` || path.split("/").some((step) => step.split(".")[0] === name),
    ) || imported.has(folder.split("/").at(-2) ?? "");
  return found
    .filter((one) => !isOwn(one))
    .map(({ path }) => ({
      path,
      gates: gates.map(({ id }) => id),
      why: "old tests find it in place of a module",
      kind: "data",
    }));
}
