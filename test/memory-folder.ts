import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const NAME = "ralphctl-tests-";
const NEEDED_BYTES = 2 ** 30;

/** These need more: a million tasks, agent CLIs from the registry. */
const isLarge = ["RALPH_SLOW", "RALPH_TORTURE", "RALPH_REAL_CLIS"].some((name) => process.env[name] !== undefined);

/**
 * A new folder in memory; undefined if there is no place for it, or TMPDIR says where folders belong. A disk with ext4
 * looks for a place for each new file among all that were deleted in the last minutes, and tests delete many.
 */
export function folderInMemory(): string | undefined {
  if (isLarge || process.env["TMPDIR"] !== undefined) return undefined;
  let folder: string | undefined;
  try {
    removeAbandoned();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return undefined;
    folder = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`));
    const program = join(folder, "program");
    writeFileSync(program, "", { mode: 0o755 });
    accessSync(program, constants.X_OK); // many containers do not start programs from there
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Tests that were killed have left theirs. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(NAME))) {
    const pid = /^\d+(?=-)/.exec(name.slice(NAME.length))?.[0];
    // One without a process is of somebody whose TMPDIR is there.
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
