import { basename, dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { DOOR } from "../../domain/run/session.ts";
import { bwrapCommand } from "../../domain/sandbox/bwrap.ts";
import { containerCommand, endContainer } from "../../domain/sandbox/container.ts";
import { namespaceCommand } from "../../domain/sandbox/init.ts";
import { type HomePlace, MADE_CACHES, placeIn, sandboxPlaces } from "../../domain/sandbox/places.ts";
import { isBelow, type SandboxKind, type SandboxProfile } from "../../domain/sandbox/sandbox.ts";
import { otherAgent, SERVICE_VARIABLES } from "../../domain/sandbox/secret-places.ts";
import { seatbeltCommand } from "../../domain/sandbox/seatbelt.ts";
import type { Harness } from "../../harness/harness.ts";
import { kindOf, makeFolder, realPathOf, writeAtomic } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";
import type { Box, Boxes, BoxRequest, MakeBox } from "../../system/process/box.ts";
import { treeMarker } from "../../system/process/marker.ts";
import { randomUuid } from "../../system/random-name.ts";
import { findPlaces } from "../../system/sandbox/find-places.ts";
import { openSockets } from "../../system/sandbox/open-sockets.ts";
import { homeOfUser, thisUser } from "../../system/sandbox/this-user.ts";
import type { Repository } from "../../system/git/repository.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import type { HarnessFlags } from "../run/check-harnesses.ts";
import { placesFolder } from "../run/open-places.ts";
import type { Workspace } from "../workspace.ts";
import { type ChosenSandboxes, chooseSandboxes, type SandboxSettings } from "./choose-sandbox.ts";

interface BoxesRequest {
  readonly chosen: ChosenSandboxes;
  readonly settings: SandboxSettings;
  /** The top of the person's working tree. */
  readonly home: string;
  /** The person's workspace. */
  readonly root: string;
  /** The folder of all lanes and rooms. */
  readonly places: string;
  /** Home folders of the person, whatever `HOME` a program gets. */
  readonly homes: readonly string[];
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
  /** All harnesses that are known. */
  readonly harnesses: Readonly<Record<string, Harness>>;
}

/** The boxes of a run: what stands around its agents, gates and set-up. */
function openBoxes(request: BoxesRequest): Boxes {
  const { chosen, settings } = request;
  const { keep } = settings.processes;
  const around = (kind: SandboxKind | undefined, keepsProcesses: boolean): MakeBox => {
    if (kind !== undefined) return async (asked) => await sandboxFor(kind, { ...request, keepsProcesses }, asked);
    const { namespace } = chosen;
    const box = namespace === undefined || keepsProcesses ? undefined : namespaceBox(namespace.user);
    return async () => box;
  };
  return {
    isSandbox: chosen.agent !== undefined,
    agent: around(chosen.agent, keep),
    gates: around(chosen.gates, false),
  };
}

const namespaceBox = (user: ReturnType<typeof thisUser>): Box => ({
  enter: ({ file, args }) => namespaceCommand(user, [file, ...args]),
  tellsLeft: true,
  isBehind: false,
});

type Around = BoxesRequest & { readonly keepsProcesses: boolean };

async function sandboxFor(kind: SandboxKind, around: Around, asked: BoxRequest): Promise<Box> {
  const { keepsProcesses } = around;
  const profile: SandboxProfile = {
    name: "write",
    places: await placesFor(around, asked),
    keepsProcesses,
    isRoot: thisUser() === undefined,
    unset: SERVICE_VARIABLES,
  };
  if (kind === "bwrap") {
    const enter: Box["enter"] = (program) => bwrapCommand(profile, program);
    return { enter, tellsLeft: !keepsProcesses, isBehind: true, places: profile.places };
  }
  if (kind === "seatbelt") {
    const enter: Box["enter"] = (program) => seatbeltCommand(profile, program);
    return { enter, tellsLeft: false, isBehind: false, places: profile.places };
  }
  return containerFor(kind, { around, asked, profile });
}

function containerFor(
  engine: "docker" | "podman",
  { around, asked, profile }: { readonly around: Around; readonly asked: BoxRequest; readonly profile: SandboxProfile },
): Box {
  const user = thisUser();
  const request = {
    engine,
    image: around.settings.sandbox.image!, // chosen only with one
    // By the mark of the run in this working tree its guard finds it, should we be killed.
    name: `ralphctl-${markIn(around, asked)}-${randomUuid()}`,
    user: user && `${user.uid}:${user.gid}`,
    variables: Object.keys(asked.env).filter((name) => asked.env[name] !== undefined),
    read: needed(around, asked),
  };
  return {
    enter: (program) => containerCommand(profile, program, request),
    tellsLeft: false,
    isBehind: false,
    isElsewhere: true,
    after: endContainer(request),
  };
}

function markIn({ home }: Around, { env }: BoxRequest): string {
  const run = env["RALPHCTL_RUN"];
  const git = gitFolder(home);
  return run === undefined || git === undefined ? "check" : treeMarker(run, git.own).value;
}

async function placesFor(around: Around, asked: BoxRequest): Promise<SandboxProfile["places"]> {
  const { env, write = [] } = asked;
  const own = asked.own ?? namedAgents(around, asked);
  for (const place of [...own, ...MADE_CACHES]) await makePlace(env, place);
  // A file can be handed in only if it is there.
  for (const path of write) if ((await kindOf(path)) === undefined) await writeAtomic(path, "");
  const works = await worksIn(around, asked.cwd);
  const read = await readable(around, asked);
  const ours = [...needed(around, asked), ...works.write, ...write];
  return await findPlaces(
    sandboxPlaces({
      env,
      homes: around.homes,
      write: [...works.write, ...write, ...(env["TMPDIR"] ? [env["TMPDIR"]] : [])],
      read,
      keep: works.keep,
      programs: programFolders(around, asked),
      sockets: openSockets().filter((path) => !ours.some((place) => isBelow(place, path))),
      own,
      agents: Object.values(around.harnesses).flatMap(({ facts }) => facts.places ?? []),
      settings: around.settings.sandbox,
    }),
  );
}

/** A program cannot make its folder in one that is read-only. A file has a name with an ending. */
async function makePlace(env: Environment, place: HomePlace): Promise<void> {
  const path = placeIn(env, place);
  if (path === undefined || path.endsWith(".json") || (await kindOf(path)) !== undefined) return;
  // The program says best what it misses.
  await makeFolder(path, { isPrivate: true }).catch(() => undefined);
}

/** The agents whose programs stand on a command line: behind a shell, or behind our own program for ACP. */
function namedAgents({ harnesses }: Around, { words = [] }: BoxRequest): readonly HomePlace[] {
  const names = new Set(words.flatMap((word) => word.split(/\s+/)).map((word) => basename(word)));
  const known = Object.values(harnesses).flatMap(({ facts }) =>
    facts.program !== undefined && names.has(facts.program) ? (facts.places ?? []) : [],
  );
  return [...known, ...[...names].flatMap((name) => otherAgent(name))];
}

/**
 * A lane is a clone, and all its own. In the person's tree, settings, hooks and ralphctl's records stay as they are: also
 * hooks that are not there yet.
 */
async function worksIn(
  { home, root }: Around,
  cwd: string,
): Promise<{ readonly write: string[]; readonly keep: string[] }> {
  const git = gitFolder(cwd);
  if (git === undefined) return { write: [cwd], keep: [] };
  if (git.top !== home) return { write: [git.top], keep: [] };
  const common = realPathOf(git.common);
  await makeFolder(join(common, "hooks"));
  const records = ["ralph.db", "ralph.db-wal", "ralph.db-shm", "backup", "runs"].map((name) =>
    join(root, ".ralph", name),
  );
  return {
    write: [git.top, realPathOf(git.own), common],
    keep: [...["config", "config.worktree", "hooks"].map((name) => join(common, name)), ...records],
  };
}

/** Programs that run outside, too: ralphctl itself, also where npx keeps it, Node, and those on the PATH. */
function programFolders({ self }: Around, { env }: BoxRequest): string[] {
  const [, script] = self;
  const own = script === undefined ? [] : [dirname(dirname(script)).replace(/\/node_modules\/.*/, "")];
  const paths = (env["PATH"] ?? "").split(":").filter((path) => isAbsolute(path));
  return [...new Set([...own, dirname(process.execPath), ...paths])];
}

/** What a program has to see even if it lies in a folder for temporary files. Sockets there are other programs'. */
async function readable(around: Around, asked: BoxRequest): Promise<string[]> {
  const named = Object.entries(asked.env).flatMap(([name, value]) =>
    value === undefined || SERVICE_VARIABLES.includes(name) ? [] : value.split(":"),
  );
  const paths = [...(asked.words ?? []), ...named].filter((path) => isAbsolute(path));
  const kinds = await Promise.all(paths.map(async (path) => await kindOf(path).catch(() => undefined)));
  return [...new Set([...needed(around, asked), ...paths.filter((_, at) => kinds[at] !== "other")])];
}

function needed({ home, root, places, self }: Around, { env, read = [] }: BoxRequest): string[] {
  const [, script] = self;
  const door = env[DOOR];
  return [
    home,
    root,
    places,
    ...read,
    ...(script === undefined ? [] : [dirname(dirname(script))]),
    ...(door === undefined ? [] : [dirname(door)]),
  ];
}

interface BoxesPlace {
  readonly workspace: Pick<Workspace, "root" | "config">;
  readonly home: Repository;
  readonly host: Pick<BoxesRequest, "self"> & {
    readonly env: Environment;
    readonly harnesses?: HarnessFlags["harnesses"];
  };
}

/** The boxes of a run that has chosen. */
export function boxesOf(chosen: ChosenSandboxes, { workspace, home, host }: BoxesPlace): Boxes {
  const { root, config: settings } = workspace;
  const places = placesFolder(home, workspace, host.env);
  const harnesses = knownHarnesses(settings, host.harnesses);
  const homes = [homeOfUser(), placeIn(host.env, { otherwise: "" })].filter((path) => path !== undefined);
  return openBoxes({ chosen, settings, home: home.folder, root, places, homes, self: host.self, harnesses });
}

/** The same for a command that only starts gates. */
export const boxesFor = async (workspace: BoxesPlace["workspace"], home: Repository, host: BoxesPlace["host"]) =>
  boxesOf(await chooseSandboxes(workspace.config, host.env), { workspace, home, host });
