import type { Environment } from "../environment.ts";
import type { SandboxPlace } from "./sandbox.ts";

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

/** Places below the home folder in which people keep keys, logins and histories. */
const SECRETS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/glab-cli",
  ".config/git/credentials",
  ".config/op",
  ".config/rclone",
  ".docker/config.json",
  ".netrc",
  ".git-credentials",
  ".pypirc",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".terraform.d/credentials.tfrc.json",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".pgpass",
  ".my.cnf",
  ".bash_history",
  ".zsh_history",
  ".local/share/fish/fish_history",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  "Library/Keychains",
  "Library/Cookies",
  "Library/Safari",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Application Support/BraveSoftware",
  "Library/Application Support/Microsoft Edge",
];

/** Hashes of passwords, which root can read. */
const PASSWORDS = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];

/** Sockets of programs that do on request what the sandbox does not allow. */
const SERVICES = [
  "/run/docker.sock",
  "/run/podman",
  "/run/containerd",
  "/run/dbus",
  "/run/systemd/private",
  "/run/screen",
  "/run/user",
  "/var/run/docker.sock",
];

/** Variables that name such sockets. */
export const SERVICE_VARIABLES = ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"];

const CACHES: readonly HomePlace[] = [
  { variable: "npm_config_cache", otherwise: ".npm" },
  { variable: "XDG_CACHE_HOME", otherwise: ".cache" },
  { otherwise: "Library/Caches" },
  { otherwise: "Library/pnpm" },
  { variable: "XDG_DATA_HOME", otherwise: ".local/share", below: "pnpm" },
  { variable: "XDG_DATA_HOME", otherwise: ".local/share", below: "uv" },
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

export interface SandboxRequest {
  readonly env: Environment;
  /** Its lane or the room, its temporary folder, and the like. */
  readonly write: readonly string[];
  /** Of these, and of what it starts from: to be read even if they lie in a private place. */
  readonly read: readonly string[];
  /** Not to be written, though they lie in a place that can be. */
  readonly keep: readonly string[];
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
  const own = request.own.map((place) => placeIn(env, place));
  const all = (access: SandboxPlace["access"], paths: readonly (string | undefined)[]): SandboxPlace[] =>
    paths.flatMap((path) => (path === undefined ? [] : [{ path, access }]));
  const named = (paths: readonly string[]): (string | undefined)[] => paths.map((path) => namedPath(env, path));
  return [
    ...all("private", PRIVATE),
    ...all(
      "read",
      request.read.filter((path) => PRIVATE.some((place) => path.startsWith(`${place}/`))),
    ),
    ...all("hide", [...SERVICES, ...PASSWORDS, ...named(SECRETS.map((path) => `~/${path}`))]),
    ...all(
      "hide",
      request.agents.map((place) => placeIn(env, place)),
    ),
    ...all(
      "write",
      CACHES.map((place) => placeIn(env, place)),
    ),
    ...all("write", [...own, ...request.write]),
    ...all("read", request.keep),
    ...all("hide", named(settings.hide)),
    ...all("read", named(settings.read)),
    ...all("write", named(settings.write)),
  ];
}
