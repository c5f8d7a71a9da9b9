import { RalphError } from "../../domain/error.ts";
import { formatSize } from "../../domain/size.ts";
import { isOlder, readVersion } from "../../domain/program-version.ts";
import { freeSpace } from "../../system/free-space.ts";
import { git } from "../../system/git/git.ts";
import { checkRepository } from "../../system/git/unfinished-operation.ts";
import { nodeVersion } from "../../system/node-version.ts";
import { sqliteVersion } from "../../system/sqlite-driver.ts";
import type { Surroundings } from "../workspace.ts";
import { type Finding, ok, refused, warning } from "./finding.ts";

const OLDEST_NODE = "20.19.0";

/** Checks what ralphctl needs from the machine. */
export async function machineFindings({ cwd, env }: Pick<Surroundings, "cwd" | "env">): Promise<Finding[]> {
  return [node(), await sqlite(), ...(await gitAndRepository(cwd, env)), await disk(cwd)];
}

function node(): Finding {
  const version = nodeVersion();
  if (!isOlder(version, OLDEST_NODE)) return ok("node", `Node ${version}`);
  const message = `Node ${version} is older than ${OLDEST_NODE}, the oldest version that ralphctl supports`;
  return { level: "problem", check: "node", message, fix: `Install Node ${OLDEST_NODE} or later` };
}

async function sqlite(): Promise<Finding> {
  try {
    const { version, name } = await sqliteVersion();
    return ok("sqlite", `SQLite ${version} (${name})`);
  } catch (error) {
    return refused("sqlite", error);
  }
}

async function gitAndRepository(folder: string, env: Surroundings["env"]): Promise<Finding[]> {
  const place = { folder, env };
  try {
    const { stdout } = await git(place, ["--version"]);
    const { warnings, shells } = await checkRepository(place);
    await shells?.close();
    const known = ok("git", `git ${readVersion(stdout) ?? "of an unknown version"}, and a usable repository`);
    if (warnings.length === 0) return [known];
    return warnings.map((message) => warning("git", message, "Run git switch -c NAME, unless this is intended"));
  } catch (error) {
    return [refused("git", error)];
  }
}

const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 * MEGABYTE;

async function disk(folder: string): Promise<Finding> {
  const free = await freeSpace(folder).catch((cause: unknown) => {
    throw new RalphError("io", `Cannot determine the free disk space of ${folder}`, { hint: "Check the disk", cause });
  });
  const unit = free >= 10 * GIGABYTE ? GIGABYTE : MEGABYTE;
  const message = `${formatSize(Math.floor(free / unit) * unit)} free on the disk`;
  if (free >= GIGABYTE) return ok("disk", message);
  const level = free < 100 * MEGABYTE ? "problem" : "warning";
  return { level, check: "disk", message, fix: "Free some disk space" };
}
