import type { Environment } from "../environment.ts";
import { isBelow, type SandboxPlace } from "./sandbox.ts";
import { namedSockets, otherAgent, secretPaths } from "./secret-places.ts";

/** A place below the home folder, unless a variable names it. */
export interface HomePlace {
  readonly variable?: string;
  /** Below HOME. */
  readonly otherwise: string;
  /** Below either. */
  readonly below?: string;
}

/** Undefined without a home folder. */
export function placeIn(env: Environment, { variable, otherwise, below }: HomePlace): string | undefined {
  const home = homeOf(env);
  const named = variable === undefined ? undefined : env[variable];
  const base = named?.startsWith("/") === true ? named : home && `${home}/${otherwise}`;
  return base && plain(below === undefined ? base : `${base}/${below}`);
}

/** A path as the configuration has it: absolute, or below the home folder. */
export function namedPath(env: Environment, path: string): string | undefined {
  if (path.startsWith("/")) return plain(path);
  const home = homeOf(env);
  if (home === undefined || !/^~(?=\/|$)/.test(path)) return undefined;
  return plain(`${home}${path.slice(1)}`);
}

const homeOf = (env: Environment): string | undefined =>
  env["HOME"]?.startsWith("/") === true && env["HOME"] !== "/" ? plain(env["HOME"]) : undefined;

const plain = (path: string): string => path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");

/** Hashes of passwords, which root can read. */
const PASSWORDS = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];

/** Sockets of programs that do on request what the sandbox does not allow. `/run/WSL` starts programs of Windows. */
const SERVICES = [
  "/run/WSL",
  "/run/buildkit",
  "/run/containerd",
  "/run/crio",
  "/run/dbus",
  "/run/docker.sock",
  "/run/incus",
  "/run/k3s",
  "/run/libvirt",
  "/run/podman",
  "/run/screen",
  "/run/snapd.socket",
  "/run/systemd/private",
  "/run/tmux",
  "/run/user",
  "/var/lib/incus/unix.socket",
  "/var/lib/lxd/unix.socket",
  "/var/run/docker.sock",
  "/var/snap/lxd/common/lxd/unix.socket",
];

const CACHES: readonly HomePlace[] = [
  { variable: "npm_config_cache", otherwise: ".npm" },
  { variable: "XDG_CACHE_HOME", otherwise: ".cache" },
  { otherwise: "Library/Caches" },
  { otherwise: "Library/pnpm/store" },
  { variable: "XDG_DATA_HOME", otherwise: ".local/share", below: "pnpm/store" },
  { variable: "XDG_DATA_HOME", otherwise: ".local/share", below: "uv/python" },
  { variable: "YARN_CACHE_FOLDER", otherwise: ".yarn/cache" },
  { otherwise: ".yarn/berry" },
  { variable: "BUN_INSTALL_CACHE_DIR", otherwise: ".bun/install/cache" },
  { variable: "DENO_DIR", otherwise: ".cache/deno" },
  { variable: "UV_CACHE_DIR", otherwise: ".cache/uv" },
  { variable: "PIP_CACHE_DIR", otherwise: ".cache/pip" },
  { variable: "CARGO_HOME", otherwise: ".cargo", below: "registry" },
  { variable: "CARGO_HOME", otherwise: ".cargo", below: "git" },
  { variable: "GOPATH", otherwise: "go", below: "pkg" },
  { variable: "GOMODCACHE", otherwise: "go/pkg/mod" },
  { variable: "GOCACHE", otherwise: ".cache/go-build" },
  { variable: "GRADLE_USER_HOME", otherwise: ".gradle" },
  { otherwise: ".m2/repository" },
  { otherwise: ".nuget/packages" },
  { variable: "PUB_CACHE", otherwise: ".pub-cache" },
];

/** Programs expect these two, and cannot make them in a folder that is read-only. */
export const MADE_CACHES: readonly HomePlace[] = CACHES.slice(0, 2);

/** For temporary files of programs that ask no variable. Other programs have their sockets there. */
const PRIVATE = ["/tmp", "/var/tmp", "/dev/shm"];

/** A daemon of Gradle's that the person started would build outside: inside, there is none. */
const DAEMONS: HomePlace = { variable: "GRADLE_USER_HOME", otherwise: ".gradle", below: "daemon" };

export interface SandboxRequest {
  readonly env: Environment;
  /** Home folders of this user, whatever `HOME` is for the program. */
  readonly homes: readonly string[];
  /** Its lane or the room, its temporary folder, and the like. */
  readonly write: readonly string[];
  /** Of these, and of what it starts from: to be read even if they lie in a private place. */
  readonly read: readonly string[];
  /** Not to be written, though they lie in a place that can be. */
  readonly keep: readonly string[];
  /** Folders with programs that others start outside: not to be written in a cache or an agent's folder either. */
  readonly programs: readonly string[];
  /** Sockets that other programs have open. */
  readonly sockets: readonly string[];
  /** The agent's own places; none for gates. */
  readonly own: readonly HomePlace[];
  /** Those of all agents. */
  readonly agents: readonly HomePlace[];
  /** What a person says in the configuration. */
  readonly settings: SandboxPaths;
}

/** Paths of the configuration; `~` is the home folder. */
export interface SandboxPaths {
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly hide: readonly string[];
}

/** B-07: where a program inside may read and write. Of one path the last word counts: the person's. */
export function sandboxPlaces(request: SandboxRequest): SandboxPlace[] {
  const { env, settings } = request;
  const all = (access: SandboxPlace["access"], paths: readonly string[]): SandboxPlace[] =>
    paths.map((path) => ({ path, access }));
  const named = (paths: readonly string[]): string[] => paths.flatMap((path) => namedPath(env, path) ?? []);
  const toRead = request.read.filter((path) => PRIVATE.some((place) => path.startsWith(`${place}/`)));
  const lent = [...CACHES, ...request.own].flatMap((place) => placeIn(env, place) ?? []);
  const programs = request.programs.filter((path) => !request.write.some((work) => isBelow(work, path)));
  return [
    ...all("private", PRIVATE),
    ...all("read", toRead),
    ...all("hide", hidden(request, toRead)),
    ...all("write", lent),
    ...all("private", [placeIn(env, DAEMONS) ?? []].flat()),
    ...all(
      "read",
      programs.filter((path) => lent.some((place) => isBelow(place, path))),
    ),
    ...all("write", request.write),
    ...all("read", request.keep),
    ...all("hide", named(settings.hide)),
    ...all("read", named(settings.read)),
    ...all("write", named(settings.write)),
  ];
}

function hidden({ env, homes, agents, sockets }: SandboxRequest, toRead: readonly string[]): string[] {
  const around = [...new Set([homeOf(env), ...homes])].filter((home) => home !== undefined);
  const folders = [env, ...around.map((home) => ({ HOME: home }))].flatMap((each) =>
    [...agents, ...otherAgent()].map((place) => placeIn(each, place)),
  );
  const open = sockets.filter((path) => [...around, ...toRead].some((folder) => isBelow(folder, path)));
  return [
    ...SERVICES,
    ...PASSWORDS,
    ...secretPaths(env, around),
    ...namedSockets(env),
    ...open,
    ...folders.filter((path) => path !== undefined),
  ];
}
