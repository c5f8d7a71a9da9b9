import { join } from "node:path";
import { createRedactor, type RedactOptions, type Redactor } from "../domain/redact.ts";
import { includedFiles } from "../lane/included-files.ts";
import type { GitPlace } from "../system/git/git.ts";
import { readTextFile } from "../system/text-file.ts";
import { loadConfig, type LoadedConfig } from "../config/config.ts";
import type { Surroundings } from "./workspace.ts";

const LIMIT_BYTES = 1024 * 1024;

interface RedactorRequest extends Pick<RedactOptions, "onHidden"> {
  readonly workspace: Pick<LoadedConfig, "config">;
  /** The person's tree. */
  readonly home: GitPlace;
}

/** B-05: also knows what the configuration says, and the secrets in files that are copied into lanes. */
export async function redactorOf({ workspace, home, onHidden }: RedactorRequest): Promise<Redactor> {
  // A broken list, or no repository at all, is told of where files are to be copied.
  const { files } = await includedFiles(home).catch(() => ({ files: [] }));
  const read = async (path: string): Promise<string | undefined> =>
    await readTextFile(join(home.folder, path), { limitBytes: LIMIT_BYTES, what: path }).catch(() => undefined);
  const texts = await Promise.all(files.map(read));
  return createRedactor(home.env, {
    rules: workspace.config.redact,
    files: texts.filter((text) => text !== undefined),
    ...(onHidden && { onHidden }),
  });
}

/** The same for a command that shows what no run has redacted, such as the output of a gate. */
export async function openRedactor(surroundings: Surroundings): Promise<Redactor> {
  const loaded = await loadConfig(surroundings);
  const home = { folder: loaded.workspace ?? surroundings.cwd, env: surroundings.env };
  return await redactorOf({ workspace: loaded, home });
}
