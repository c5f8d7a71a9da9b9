import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { agentFileFacts } from "../../domain/agent-file-facts.ts";
import type { Environment } from "../../domain/environment.ts";
import type { TrustFact } from "../../domain/trust-facts.ts";
import { repositoryFiles, type RepositoryFile } from "../../harness/harness.ts";
import { filesBelow, kindOf } from "../../system/folder.ts";
import { filesAt } from "../../system/git/files-at.ts";
import { gitFolder, headOf } from "../../system/git/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import { programFacts } from "./agent-programs.ts";
import type { Workspace } from "../workspace.ts";

const LIMIT_BYTES = 1024 * 1024;

/**
 * B-01: agents that are in the repository itself, and what its files start and set for the agents of a run, which obey them
 * by themselves: in the working tree first, and then in the commits that lanes begin on, which may have others.
 */
export async function agentFacts(workspace: Workspace, env: Environment): Promise<TrustFact[][]> {
  const { root, config } = workspace;
  const known = knownHarnesses(config);
  const names = [...config.harness, ...(config.verify.reviewer === null ? [] : [config.verify.reviewer])];
  const programs = await programFacts(workspace, names, env);
  const files = names.flatMap((name) => (Object.hasOwn(known, name) ? repositoryFiles(known[name]!) : []));
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()];
  const top = gitFolder(root)?.top ?? root;
  const facts: TrustFact[] = [];
  for (const folder of foldersUp(root, top)) {
    for (const file of distinct) facts.push(...(await factsOf(folder, top, file)));
  }
  return [programs, facts, ...(await committedFacts(workspace, distinct, env))];
}

/** CLIs look where they work, and above, up to the top of the repository. */
const foldersUp = (folder: string, top: string): string[] =>
  folder === top || dirname(folder) === folder ? [folder] : [folder, ...foldersUp(dirname(folder), top)];

async function factsOf(folder: string, top: string, { path, harmless }: RepositoryFile): Promise<TrustFact[]> {
  const isMany = path.endsWith(MANY);
  const paths = isMany ? await filesBelow(join(folder, withoutMany(path))) : [join(folder, path)];
  const facts: TrustFact[] = [];
  for (const each of paths) {
    const name = relative(top, each);
    if (isMany && (await kindOf(each)) === "folder") continue;
    const text = await readTextFile(each, { limitBytes: LIMIT_BYTES, what: name }).catch(() => null);
    if (text !== undefined) facts.push(...factsIn({ name, text, harmless }));
  }
  return facts;
}

const MANY = "/**";
const withoutMany = (path: string): string => (path.endsWith(MANY) ? path.slice(0, -MANY.length) : path);

interface FoundFile {
  readonly name: string;
  readonly harmless: RepositoryFile["harmless"] | undefined;
  /** Null: it cannot be read. */
  readonly text: string | null;
}

function factsIn({ name, text, harmless = [] }: FoundFile): TrustFact[] {
  if (text === null) return [{ key: name, value: "a file that ralphctl cannot read", isStrong: false }];
  const hash = createHash("sha256").update(text).digest("hex");
  return agentFileFacts({ name, text, harmless, hash });
}

/** The branch that a run lands on, and what has landed: a lane begins on either, or on both merged. */
async function committedFacts(
  { root, config }: Workspace,
  files: readonly RepositoryFile[],
  env: Environment,
): Promise<TrustFact[][]> {
  const git = gitFolder(root);
  if (git === undefined || files.length === 0) return [];
  const branch = config.git.branch ?? headOf(git.own).branch;
  const refs = branch === undefined ? ["HEAD"] : [`refs/heads/${branch}`, `refs/ralph/target/${branch}`];
  const wanted = foldersUp(root, git.top).flatMap((folder) =>
    files.map((file) => ({ file, path: relative(git.top, join(folder, withoutMany(file.path))) })),
  );
  const paths = wanted.map(({ path }) => path);
  const found = await filesAt({ folder: git.top, env }, { refs, paths, limitBytes: LIMIT_BYTES });
  return refs.map((ref) =>
    wanted.flatMap(({ file, path }) => {
      const here = (found.get(ref) ?? []).filter((each) => each.path === path || each.path.startsWith(`${path}/`));
      return here.flatMap(({ path: name, bytes }) =>
        factsIn({ name, text: bytes === undefined ? null : textOf(bytes), harmless: file.harmless }),
      );
    }),
  );
}

/** As a file is read: without its byte order mark. Null: it is no text. */
function textOf(bytes: Buffer): string | null {
  try {
    return bytes.includes(0) ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null; // a CLI may read it nevertheless
  }
}
