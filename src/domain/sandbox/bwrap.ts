import {
  type CommandLine,
  type FoundPlace,
  inMountOrder,
  type SandboxProfile,
  type SandboxProgram,
} from "./sandbox.ts";
import { underInit } from "./init.ts";

/** What root may still do inside: work with files and users, but neither mount nor look at other processes. */
const ROOT_MAY = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_NET_BIND_SERVICE",
];

/**
 * Settings of the machine. Bubblewrap takes those whose folder root cannot write for read-only, though root can write the
 * files in it: the program for core dumps, which the kernel starts outside of every sandbox, is one of them.
 */
const KERNEL = ["/proc/sys", "/proc/sysrq-trigger", "/proc/fs"];

/** The command line of bubblewrap (Linux): mounts and namespaces, no daemon, no image. */
export function bwrapCommand(profile: SandboxProfile, { file, args, cwd, isAttended }: SandboxProgram): CommandLine {
  const { places, isRoot, keepsProcesses, unset } = profile;
  const words = [
    ["--ro-bind", "/", "/", "--dev", "/dev"],
    keepsProcesses ? [] : ["--proc", "/proc"],
    isRoot && !keepsProcesses ? KERNEL.flatMap((path) => ["--ro-bind-try", path, path]) : [],
    inMountOrder(places).flatMap(mount),
    // Only now: what may be seen in such a folder needs a place in it to be mounted on.
    places.flatMap((place) => (isHiddenFolder(place) ? ["--remount-ro", place.path] : [])),
    unset.flatMap((name) => ["--unsetenv", name]),
    ["--cap-drop", "ALL"],
    isRoot ? ROOT_MAY.flatMap((name) => ["--cap-add", name]) : [],
    // A session of its own: signals for the program must not end bubblewrap before it.
    isAttended === true ? [] : ["--new-session"],
    ["--unshare-ipc"],
    keepsProcesses ? [] : ["--unshare-pid", "--as-pid-1", "--die-with-parent"],
    ["--chdir", cwd, "--"],
    keepsProcesses ? [file, ...args] : underInit([file, ...args]),
  ];
  return ["bwrap", ...words.flat()];
}

function mount({ path, access, isFolder }: FoundPlace): string[] {
  if (access === "write") return [path.startsWith("/dev/") ? "--dev-bind" : "--bind", path, path];
  if (access === "read") return ["--ro-bind", path, path];
  if (access === "private") return ["--perms", "1777", "--tmpfs", path];
  // Without a device behind it, the null device cannot be opened.
  if (!isFolder) return ["--ro-bind", "/dev/null", path];
  return ["--perms", "0111", "--tmpfs", path];
}

const isHiddenFolder = ({ access, isFolder }: FoundPlace): boolean => access === "hide" && isFolder;
