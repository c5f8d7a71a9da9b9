import { existsSync } from "node:fs";
import { bwrapCommand } from "../../domain/sandbox/bwrap.ts";
import { namespaceCommand } from "../../domain/sandbox/init.ts";
import type { CommandLine, SandboxKind } from "../../domain/sandbox/sandbox.ts";
import { seatbeltCommand } from "../../domain/sandbox/seatbelt.ts";
import { whyNot, type WhyNot } from "../../domain/sandbox/why-not.ts";
import { safeSearchPath } from "../../domain/search-path.ts";
import type { Environment } from "../../domain/environment.ts";
import { textIn } from "../folder.ts";
import { programEnd } from "../process/program-answer.ts";
import { programsOn } from "../process/programs.ts";

/** What a try of a sandbox showed; undefined: it works. */
export type Probe = WhyNot | undefined;

const TIMEOUT_MS = 20_000;
const asked = new Map<string, Promise<Probe>>();

/** Tries a sandbox once with a program that does nothing. The answer is remembered. `image`: of a container. */
export const probeSandbox = (kind: SandboxKind, env: Environment, image: string | null = null): Promise<Probe> =>
  once(`${kind} ${image} ${env["PATH"]}`, async () => await tryCommand(kind, trialOf(kind, image), env));

/** The same for a process namespace alone. `user`: who we are in a user namespace of its own; undefined: none is made. */
export const probeNamespace = (user: { readonly uid: number; readonly gid: number } | undefined, env: Environment) =>
  once(`unshare ${user?.uid} ${env["PATH"]}`, async () => {
    const [failed, old] = await Promise.all([
      tryCommand("unshare", namespaceCommand(user, ["true"]), env),
      oldUnshare(env),
    ]);
    return failed ?? old;
  });

function once(name: string, probe: () => Promise<Probe>): Promise<Probe> {
  const known = asked.get(name) ?? probe();
  asked.set(name, known);
  return known;
}

function trialOf(kind: SandboxKind, image: string | null): CommandLine {
  const profile = { name: "write", places: PLACES, keepsProcesses: false, isRoot: isRoot(), unset: [] } as const;
  const program = { file: "true", args: [], cwd: "/" };
  if (kind === "bwrap") return bwrapCommand(profile, program);
  if (kind === "seatbelt") return seatbeltCommand(profile, program);
  // An engine may answer and still start nothing. Without an image, ask for the versions of client and server.
  return image === null ? [kind, "version"] : [kind, "run", "--rm", "--network", "host", image, "true"];
}

const PLACES = [{ path: "/tmp", access: "private", isFolder: true }] as const;
const isRoot = (): boolean => process.getuid?.() === 0;

async function tryCommand(kind: SandboxKind | "unshare", command: CommandLine, env: Environment): Promise<Probe> {
  const [file, ...args] = command;
  const hasProgram = file.startsWith("/")
    ? existsSync(file)
    : (await programsOn(safeSearchPath(env["PATH"] ?? ""), [file])).length > 0;
  const ended = hasProgram ? await programEnd({ file, args, cwd: "/", env, timeoutMs: TIMEOUT_MS }) : undefined;
  if (ended?.code === 0) return undefined;
  return whyNot(kind, {
    platform: process.platform,
    isRoot: isRoot(),
    hasProgram,
    said: ended === undefined ? "" : ended.errors || ended.output,
    isRestricted: setting("kernel/apparmor_restrict_unprivileged_userns") === "1",
    isSwitchedOff: setting("kernel/unprivileged_userns_clone") === "0" || setting("user/max_user_namespaces") === "0",
    isContainer: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  });
}

const setting = (name: string): string | undefined => textIn(`/proc/sys/${name}`)?.trim();

/** Older ones than 2.36 end at a signal that is for the program inside. */
async function oldUnshare(env: Environment): Promise<Probe> {
  const { output } = await programEnd({ file: "unshare", args: ["--version"], cwd: "/", env, timeoutMs: TIMEOUT_MS });
  const [, major, minor] = /util-linux (\d+)\.(\d+)/.exec(output) ?? [];
  if (major === undefined || Number(major) > 2 || Number(minor) >= 36) return undefined;
  return { why: `unshare ${major}.${minor} is older than 2.36`, fix: "Install a newer util-linux" };
}
