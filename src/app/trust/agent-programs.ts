import { delimiter, isAbsolute, join, relative } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import type { TrustFact } from "../../domain/trust-facts.ts";
import { isBelow, realPathOf } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { isProgram } from "../../system/process/programs.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import type { Workspace } from "../workspace.ts";

/**
 * B-01: agents that the search path finds in the repository. npx and scripts of npm put its `node_modules/.bin` first, and a
 * clone may bring one along.
 */
export async function programFacts(
  { root, config }: Workspace,
  names: readonly string[],
  env: Environment,
): Promise<TrustFact[]> {
  const known = knownHarnesses(config);
  const top = realPathOf(gitFolder(root)?.top ?? root);
  const facts: TrustFact[] = [];
  for (const name of names) {
    const program =
      config.harnesses[name]?.bin ?? (Object.hasOwn(known, name) ? known[name]!.facts.program : undefined);
    const found = program === undefined || program.includes("/") ? undefined : await findOn(env, program);
    if (found === undefined || !isBelow(top, found)) continue;
    facts.push({ key: `the program ${program}`, value: relative(top, found), isStrong: true });
  }
  return facts;
}

/** Where the search path finds a program. Nothing is started by a relative entry. */
async function findOn(env: Environment, program: string): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  for (const folder of folders) if (await isProgram(join(folder, program))) return join(realPathOf(folder), program);
  return undefined;
}
