import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Does something in a folder of its own, which is gone afterwards. */
export async function inTemporaryFolder<Result>(
  name: string,
  action: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await newTemporaryFolder(name);
  try {
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder that stays until somebody removes it. */
export const newTemporaryFolder = async (name: string): Promise<string> =>
  await realpath(await mkdtemp(join(tmpdir(), `ralphctl-${name}-`)));
