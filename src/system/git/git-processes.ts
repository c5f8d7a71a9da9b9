import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { codeOf } from "../error-code.ts";
import { gitFolder } from "./folder.ts";
import { ps } from "../process/process-identity.ts";

/** A git that lives, and where it works. */
export interface GitProcess {
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
  /** Undefined: that cannot be found out. */
  readonly cwd: string | undefined;
}

/** Commands that only look: one of them may wait in a pager for hours, and holds no lock. */
const LOOKING = /^\S*git (?:log|show|diff|blame|grep)\b/;

/**
 * Those that may hold a lock of a working tree, or of the repository that it belongs to. Of a commit that waits for an
 * editor nothing else is seen: git has written and closed its lock by then.
 */
export function gitProcessesIn(folder: string, reach: "tree" | "repository"): GitProcess[] {
  const here = gitFolder(folder);
  return gitProcesses().filter(({ cwd, command }) => {
    if (LOOKING.test(command)) return false;
    if (cwd === undefined || here === undefined) return true; // where nothing is known, it may be the one
    const there = gitFolder(cwd);
    const isInside = [here.own, here.common].some((own) => cwd === own || cwd.startsWith(`${own}/`));
    return isInside || (reach === "tree" ? there?.own === here.own : there?.common === here.common);
  });
}

/** `git commit --all (process 4711)`. */
export const describeGitProcess = ({ command, pid }: GitProcess): string => {
  const line = command.replaceAll(/\s+/g, " ");
  return `${line.length > MAX_COMMAND_LENGTH ? `${line.slice(0, MAX_COMMAND_LENGTH)}…` : line} (process ${pid})`;
};

const MAX_COMMAND_LENGTH = 80;

const gitProcesses = (): GitProcess[] => (process.platform === "linux" ? gitsInProc() : gitsByLsof());

const isGit = (name: string): boolean => name === "git" || name.startsWith("git-");

function gitsInProc(): GitProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d/.test(name))
    .flatMap((pid) => {
      try {
        if (!isGit(readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd())) return [];
        const cwd = readlinkSync(`/proc/${pid}/cwd`);
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
        // One that has ended and is only waited for has no command line any more.
        return command === "" ? [] : [{ pid: Number(pid), command, cwd }];
      } catch {
        return []; // gone; or somebody else's, who has no business in our tree
      }
    });
}

/** For systems without /proc. Without `lsof` the working directory is unknown, and any git may be the one. */
function gitsByLsof(): GitProcess[] {
  const commands = readCommands(ps("-A", "-ww", "-o", "pid=,command="));
  const list = lsof("-w", "-a", "-c", "git", "-d", "cwd", "-Fpn");
  const gits = commands.filter(({ command }) => isGit(command.split(" ")[0]!.split("/").at(-1)!));
  if (list === undefined) return gits.map((git) => ({ ...git, cwd: undefined }));
  const folders = readFolders(list);
  return gits.flatMap((git) => (folders.has(git.pid) ? [{ ...git, cwd: folders.get(git.pid) }] : []));
}

/** The output of `ps -o pid=,command=`. */
function readCommands(list: string): Omit<GitProcess, "cwd">[] {
  return list.split("\n").flatMap((line) => {
    const [, pid, command = ""] = /^\s*(\d+)\s+(.*\S)\s*$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), command }];
  });
}

/** The output of `lsof -Fpn`: a line `p4711` for each process, and `n/where/it/works` after it. */
export function readFolders(list: string): ReadonlyMap<number, string> {
  const folders = new Map<number, string>();
  let pid = 0;
  for (const line of list.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    if (line.startsWith("n")) folders.set(pid, line.slice(1));
  }
  return folders;
}

/** Undefined when it is not there; when it finds nothing it may exit with 1. */
function lsof(...args: readonly string[]): string | undefined {
  const env = { PATH: "/usr/sbin:/usr/bin:/bin", LC_ALL: "C" };
  try {
    return execFileSync("lsof", args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    const { stdout } = error as { readonly stdout?: unknown };
    return codeOf(error) === "ENOENT" || typeof stdout !== "string" ? undefined : stdout;
  }
}
