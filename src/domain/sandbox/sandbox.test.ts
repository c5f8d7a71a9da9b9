import { describe, expect, test } from "vitest";
import { bwrapCommand } from "./bwrap.ts";
import { containerCommand, endContainer } from "./container.ts";
import { namespaceCommand, readLeft, signalOf, underInit } from "./init.ts";
import { namedPath, placeIn, sandboxPlaces } from "./places.ts";
import { heldPlaces, withoutMadeLinks } from "./held-places.ts";
import { createRefusals, type Refusal } from "./refusals.ts";
import { inMountOrder, placeAround, type SandboxProfile } from "./sandbox.ts";
import { seatbeltProfile, seatbeltCommand } from "./seatbelt.ts";
import { type MachineLook, whyNot } from "./why-not.ts";

const folder = (path: string, access: "write" | "read" | "hide" | "private") =>
  ({ path, access, isFolder: true }) as const;

const profile: SandboxProfile = {
  name: "write",
  places: [
    folder("/home/me/lanes/1", "write"),
    folder("/tmp", "private"),
    folder("/tmp/door", "read"),
    folder("/home/me/.ssh", "hide"),
    { path: "/home/me/.netrc", access: "hide", isFolder: false },
    folder("/dev/dri", "write"),
  ],
  keepsProcesses: false,
  isRoot: false,
  unset: ["SSH_AUTH_SOCK"],
};
const program = { file: "claude", args: ["-p", "two words"], cwd: "/home/me/lanes/1" };

describe("bubblewrap", () => {
  test("B-07 gets folders before what lies in them, and the program under a first process of ours", () => {
    const options = [
      "--ro-bind / / --dev /dev --proc /proc --dev-bind /dev/dri /dev/dri --ro-bind /dev/null /home/me/.netrc",
      "--perms 0111 --tmpfs /home/me/.ssh --bind /home/me/lanes/1 /home/me/lanes/1",
      "--perms 1777 --tmpfs /tmp --ro-bind /tmp/door /tmp/door --remount-ro /home/me/.ssh --unsetenv SSH_AUTH_SOCK --cap-drop ALL",
      "--new-session --unshare-ipc --unshare-pid --as-pid-1 --die-with-parent --chdir /home/me/lanes/1 --",
    ];
    const init = underInit(["claude", "-p", "two words"]);
    expect(bwrapCommand(profile, program)).toEqual(["bwrap", ...options.join(" ").split(" "), ...init]);
  });

  test("B-07 gives root what work with files needs, and no way to mount", () => {
    const command = bwrapCommand({ ...profile, isRoot: true }, program);
    expect(command).toContain("CAP_DAC_OVERRIDE");
    expect(command.join(" ")).not.toMatch(/CAP_SYS|CAP_MKNOD|CAP_NET_ADMIN/);
    expect(command.join(" ")).toContain(
      "--proc /proc --ro-bind-try /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger",
    );
  });

  test("B-07 has no process namespace where processes are kept, and the terminal's session where a person works", () => {
    const kept = bwrapCommand({ ...profile, keepsProcesses: true }, program);
    expect(kept.slice(kept.indexOf("--") + 1)).toEqual(["claude", "-p", "two words"]);
    expect(kept.filter((word) => /unshare-pid|proc|die-with/.test(word))).toEqual([]);
    expect(bwrapCommand(profile, { ...program, isAttended: true })).not.toContain("--new-session");
  });
});

describe("seatbelt", () => {
  test("B-07 has its rules as text, the general ones first; a path cannot end its quotes", () => {
    const odd = folder('/home/me/a "b\\c', "write");
    expect(seatbeltProfile({ places: [...profile.places.slice(0, 5), odd] })).toBe(
      [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        '(allow file-write* (subpath "/dev"))',
        "(deny signal)",
        "(allow signal (target same-sandbox))",
        '(deny file-read* file-write* network-outbound (literal "/home/me/.netrc"))',
        '(deny file-read* file-write* network-outbound (subpath "/home/me/.ssh"))',
        String.raw`(allow file-read* file-write* (subpath "/home/me/a \"b\\c"))`,
        '(allow file-read* file-write* (subpath "/home/me/lanes/1"))',
        '(allow file-read* file-write* (subpath "/tmp"))',
        '(allow file-read* (subpath "/tmp/door"))\n(deny file-write* (subpath "/tmp/door"))',
      ].join("\n"),
    );
    const words = seatbeltCommand(profile, program);
    expect(words[0]).toBe("/usr/bin/sandbox-exec");
    expect(words.slice(3)).toEqual(["/usr/bin/env", "-u", "SSH_AUTH_SOCK", "claude", "-p", "two words"]);
  });
});

describe("a container", () => {
  const request = {
    engine: "podman",
    image: "agents:1",
    name: "ralphctl-1",
    user: "1000:1000",
    variables: ["HOME", "PATH", "SSH_AUTH_SOCK"],
    read: ["/home/me/project", '/home/me/with,"comma'],
  } as const;

  test("B-07 has only the places that are named, and variables by name", () => {
    const options = [
      "run --rm --interactive --init --name ralphctl-1 --network host --cap-drop ALL --security-opt no-new-privileges",
      "--user 1000:1000 --userns keep-id --mount type=bind,source=/dev/dri,target=/dev/dri",
      "--mount type=bind,source=/home/me/lanes/1,target=/home/me/lanes/1",
      "--mount type=bind,source=/home/me/project,target=/home/me/project,readonly",
      '--mount type=bind,"source=/home/me/with,""comma","target=/home/me/with,""comma",readonly',
      "--mount type=bind,source=/tmp/door,target=/tmp/door,readonly",
      "--env HOME --workdir /home/me/lanes/1 agents:1 claude -p",
    ];
    expect(containerCommand(profile, program, request)).toEqual([
      "podman",
      ...options.join(" ").split(" "),
      "two words",
    ]);
    const shown = { ...request, read: ["/home/me"] };
    expect(containerCommand(profile, program, shown).join(" ")).toContain(
      "--mount type=bind,source=/home/me,target=/home/me,readonly --mount type=bind,source=/dev/null,target=/home/me/.netrc,readonly --mount type=tmpfs,target=/home/me/.ssh",
    );
    const docker = containerCommand(
      profile,
      { ...program, isAttended: true },
      { ...request, engine: "docker", user: undefined },
    );
    expect(docker.slice(0, 5)).toEqual(["docker", "run", "--rm", "--interactive", "--tty"]);
    expect(docker.filter((word) => word.startsWith("--user"))).toEqual([]);
    expect(endContainer(request)).toEqual(["podman", "rm", "--force", "ralphctl-1"]);
  });
});

describe("places", () => {
  const env = { HOME: "/home/me", XDG_CACHE_HOME: "/cache", CODEX_HOME: "relative" };
  const asked = {
    env,
    homes: ["/home/me", "/root"],
    write: ["/lanes/1"],
    read: ["/tmp/door", "/work"],
    keep: ["/lanes/1/.git/config"],
    programs: ["/cache/npx/1", "/lanes/1/node_modules/.bin", "/usr/bin"],
    sockets: ["/home/me/.docker/run/docker.sock", "/tmp/door/other", "/run/postgresql/.s.PGSQL.5432"],
    own: [{ otherwise: ".claude" }],
    agents: [{ otherwise: ".claude" }, { variable: "CODEX_HOME", otherwise: ".codex" }],
    settings: { write: ["~/out", "oops"], read: ["~/.netrc"], hide: ["/etc/shadow/"] },
  };
  const accessOf = (path: string) => placeAround(sandboxPlaces(asked), path)?.access;

  test.each([
    ["/home/me/.ssh/id", "hide"],
    ["/home/me/.codex/auth.json", "hide"],
    ["/home/me/.claude/projects", "write"],
    ["/home/me/.netrc", "read"],
    ["/home/me/out/x", "write"],
    ["/cache/pip", "write"],
    ["/lanes/1/src", "write"],
    ["/lanes/1/.git/config", "read"],
    ["/lanes/10", undefined],
    ["/tmp/other", "private"],
    ["/tmp/door/socket", "read"],
    ["/etc/shadow", "hide"],
    ["/run/user/1000/bus", "hide"],
    ["/work", undefined],
    ["/root/.ssh/id", "hide"],
    ["/root/.codex/auth.json", "hide"],
    ["/home/me/.factory/auth", "hide"],
    ["/home/me/.docker/run/docker.sock", "hide"],
    ["/tmp/door/other", "hide"],
    ["/run/postgresql/.s.PGSQL.5432", undefined],
    ["/cache/npx/1/node_modules/ralphctl/dist/bin.js", "read"],
    ["/cache/npx/2", "write"],
    ["/lanes/1/node_modules/.bin/tsc", "write"],
    ["/home/me/.local/share/pnpm/git", undefined],
    ["/home/me/.gradle/daemon/8/registry.bin", "private"],
  ])("B-07 %s: %s", (path, access) => expect(accessOf(path)).toBe(access));

  test("B-07 secrets are hidden where the environment says that they are, too, and a device is none", () => {
    const placed = {
      HOME: "/home/me",
      XDG_CONFIG_HOME: "/conf",
      KUBECONFIG: "/k/a:/k/b",
      HISTFILE: "/dev/null",
      SSH_AUTH_SOCK: "/s/agent",
      DOCKER_HOST: "unix:///s/docker",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/s/bus,guid=1",
    };
    const places = sandboxPlaces({ ...asked, env: placed });
    const hidden = places.flatMap(({ path, access }) => (access === "hide" ? [path] : []));
    expect(hidden).toEqual(
      expect.arrayContaining([
        "/conf/gh",
        "/home/me/.config/gh",
        "/k/a",
        "/k/b",
        "/s/agent",
        "/s/docker",
        "/s/bus",
        "/conf/goose",
      ]),
    );
    expect(hidden.filter((path) => path.startsWith("/dev"))).toEqual([]);
  });

  test("B-07 no home folder means no places below it", () => {
    expect(["/", "", undefined].map((HOME) => placeIn({ HOME }, { otherwise: ".ssh" }))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(namedPath({ HOME: "/home/me/" }, "~")).toBe("/home/me");
    expect(placeIn({ HOME: "/home/me" }, { otherwise: "", below: ".gemini" })).toBe("/home/me/.gemini");
  });

  test("B-07 no link that a program may have made opens a folder for the next program", () => {
    const linked = (path: string, access: "write" | "read" | "hide", ...links: string[]) => ({
      ...folder(path, access),
      links,
    });
    const cache = linked("/home/me/.cache", "write");
    const own = linked("/data/npm", "write", "/home/me/.npm");
    const hides = linked("/home/me/.secret", "hide", "/home/me/.cache/secret");
    const within = linked("/home/me/.cache/b", "read", "/home/me/.cache/a");
    const made = [
      linked("/home/me/.ssh", "write", "/home/me/.cache/uv"),
      linked("/home/me", "read", "/home/me/other", "/home/me/.cache/pip"),
    ];
    expect(withoutMadeLinks([cache, own, hides, within, ...made]).map(({ path }) => path)).toEqual(
      [cache, own, hides, within].map(({ path }) => path),
    );
  });

  test("B-07 what is kept or hidden in a writable place cannot be moved away with a folder around it", () => {
    const places = [
      folder("/w", "write"),
      folder("/w/cache", "write"),
      folder("/w/a/b/kept", "read"),
      folder("/w/a/b/kept/out", "write"),
      folder("/h", "hide"),
      folder("/h/in", "hide"),
      folder("/h/shown", "read"),
      folder("/tmp", "private"),
      folder("/tmp/socket", "hide"),
    ];
    expect(heldPlaces(places)).toEqual([
      folder("/h", "hide"),
      folder("/h/shown", "read"),
      folder("/tmp", "private"),
      folder("/w", "write"),
      folder("/w/a", "write"),
      folder("/w/a/b", "write"),
      folder("/w/a/b/kept", "read"),
      folder("/w/a/b/kept/out", "write"),
    ]);
  });

  test("B-07 of one path the last word counts", () => {
    expect(
      inMountOrder([folder("/b", "hide"), folder("/a/c", "read"), folder("/b", "write"), folder("/a", "hide")]),
    ).toEqual([folder("/a", "hide"), folder("/a/c", "read"), folder("/b", "write")]);
  });
});

test("B-07 the first process of a namespace tells names, and signals by exit codes", () => {
  expect(readLeft("12 sleep\n13 my (odd) name\nnoise\n")).toEqual(["sleep", "my (odd) name"]);
  expect([129, 137, 139, 143].map(signalOf)).toEqual(["SIGHUP", "SIGKILL", "SIGSEGV", "SIGTERM"]);
  expect([0, 1, 128, 144, 173, null].map(signalOf)).toEqual(Array.from({ length: 6 }));
  expect(namespaceCommand({ uid: 7, gid: 8 }, ["true"]).slice(0, 4)).toEqual([
    "unshare",
    "--user",
    "--map-user=7",
    "--map-group=8",
  ]);
});

describe("why a sandbox cannot be had", () => {
  const look: MachineLook = {
    platform: "linux",
    isRoot: false,
    hasProgram: true,
    said: "bwrap: No permissions to create new namespace\nmore",
    isRestricted: false,
    isSwitchedOff: false,
    isContainer: false,
  };
  test.each([
    ["bwrap", { hasProgram: false }, "bubblewrap is not installed", /^Install the package bubblewrap/],
    [
      "bwrap",
      { isRestricted: true },
      "AppArmor allows user namespaces only to programs with a profile (Ubuntu)",
      /userns/,
    ],
    ["bwrap", { isSwitchedOff: true }, "This system has user namespaces switched off", /sysctl/],
    [
      "bwrap",
      { isContainer: true, isRoot: true, isRestricted: true },
      "This container may make no namespaces: bwrap: No permissions to create new namespace",
      /SYS_ADMIN.*--sandbox off/,
    ],
    ["bwrap", {}, "bwrap does not start: bwrap: No permissions to create new namespace", /^Check/],
    ["bwrap", { platform: "darwin" }, "bwrap needs Linux", /seatbelt/],
    ["unshare", { hasProgram: false }, "unshare is not on the PATH", /util-linux/],
    ["seatbelt", {}, "seatbelt is part of macOS only", /bwrap/],
    ["seatbelt", { platform: "darwin", said: "" }, "sandbox-exec does not start: it said nothing", /docker/],
    ["docker", { hasProgram: false }, "docker is not on the PATH", /^Install docker/],
    ["podman", { said: "no server" }, "podman starts no container: no server", /podman run/],
  ] as const)("B-07 %s with %o", (kind, own, why, fix) => {
    expect(whyNot(kind, { ...look, ...own })).toEqual({ why, fix: expect.stringMatching(fix) });
  });
});

describe("what a sandbox refused", () => {
  const places = [folder("/home/me/.ssh", "hide"), folder("/home/me/lanes/1", "write"), folder("/tmp", "private")];
  const look = (): ((text: string) => Refusal[]) =>
    createRefusals(places, { home: "/home/me", cwd: "/home/me/lanes/1" });
  const key: Refusal = { access: "read", path: "/home/me/.ssh/id" };
  const written = (path: string): Refusal => ({ access: "write", path });

  test.each<[string, Refusal[]]>([
    ["cat: /home/me/.ssh/id: No such file or directory", [key]],
    ["cat: '/home/me/.ssh/id': Permission denied", [key]],
    ["Error: ENOENT: no such file or directory, open '/home/me/.ssh/id'", [key]],
    ["grep: ~/.ssh/id: No such file or directory", [key]],
    ["/bin/sh: 1: cannot create /etc/evil: Read-only file system", [written("/etc/evil")]],
    ["touch: cannot touch '/home/me/My files/x': Read-only file system", [written("/home/me/My files/x")]],
    ["sh: ../2/evil: Read-only file system", [written("/home/me/lanes/2/evil")]],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", [written("/etc/x")]],
    ["EROFS: read-only file system, mkdir '/home/me/.foo'", [written("/home/me/.foo")]],
    ["cat: /home/me/lanes/1/x: No such file or directory", []],
    ["cat: /etc/nothing: No such file or directory", []],
    ["the file /home/me/.ssh/id is interesting", []],
    ["Read-only file system", []],
  ])("B-09 %s", (text, expected) => expect(look()(`before\n${text}\nafter`)).toEqual(expected));

  test("B-09 each path is told once, and of many only the first; without a sandbox none", () => {
    const refused = look();
    expect([
      ...refused("cat: /home/me/.ssh/id: Permission denied\n".repeat(3)),
      ...refused("/home/me/.ssh/id: ENOENT"),
    ]).toEqual([key]);
    const many = Array.from({ length: 50 }, (_, at) => `/etc/${at}: Read-only file system`).join("\n");
    expect(look()(many)).toHaveLength(20);
    expect(createRefusals(undefined, { home: undefined, cwd: "/" })(many)).toEqual([]);
  });

  test("B-04 a long line of quotes and slashes takes no time", () => {
    const line = `${"'/".repeat(500_000)}${'"/'.repeat(500_000)} Read-only file system`;
    expect(look()(line)).toEqual([]);
  });
});
