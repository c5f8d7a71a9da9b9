import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { agentFileFacts } from "../../domain/agent-file-facts.ts";
import type { TrustFact } from "../../domain/trust-facts.ts";
import { repositoryFiles, type RepositoryFile } from "../../harness/harness.ts";
import { filesBelow, kindOf } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import type { Workspace } from "../workspace.ts";

const LIMIT_BYTES = 1024 * 1024;

/** B-01: what the repository's files start and set for the agents of a run, which obey them by themselves. */
export async function agentFacts({ root, config }: Workspace): Promise<TrustFact[]> {
  const known = knownHarnesses(config);
  const names = [...config.harness, ...(config.verify.reviewer === null ? [] : [config.verify.reviewer])];
  const files = names.flatMap((name) => (Object.hasOwn(known, name) ? repositoryFiles(known[name]!) : []));
  const distinct = new Map(files.map((file) => [file.path, file]));
  const top = gitFolder(root)?.top ?? root;
  const facts: TrustFact[] = [];
  for (const folder of foldersUp(root, top)) {
    for (const file of distinct.values()) facts.push(...(await factsOf(folder, top, file)));
  }
  return facts;
}

/** CLIs look where they work, and above, up to the top of the repository. */
const foldersUp = (folder: string, top: string): string[] =>
  folder === top || dirname(folder) === folder ? [folder] : [folder, ...foldersUp(dirname(folder), top)];

async function factsOf(folder: string, top: string, { path, harmless = [] }: RepositoryFile): Promise<TrustFact[]> {
  const isMany = path.endsWith("/**");
  const paths = isMany ? await filesBelow(join(folder, path.slice(0, -3))) : [join(folder, path)];
  const facts: TrustFact[] = [];
  for (const each of paths) {
    const name = relative(top, each);
    if (isMany && (await kindOf(each)) === "folder") continue;
    const text = await readTextFile(each, { limitBytes: LIMIT_BYTES, what: name }).catch(() => null);
    if (text === null) facts.push({ key: name, value: "a file that ralphctl cannot read", isStrong: false });
    if (text === null || text === undefined) continue;
    const hash = createHash("sha256").update(text).digest("hex");
    facts.push(...agentFileFacts({ name, text, harmless, hash }));
  }
  return facts;
}
