import { type CommandLine, inMountOrder, type SandboxProfile, type SandboxProgram } from "./sandbox.ts";

/** The command line of macOS's own sandbox. It has no process namespace: processes are found by their mark, as always. */
export const seatbeltCommand = (profile: SandboxProfile, { file, args }: SandboxProgram): CommandLine => [
  "/usr/bin/sandbox-exec",
  "-p",
  seatbeltProfile(profile),
  "/usr/bin/env",
  ...profile.unset.flatMap((name) => ["-u", name]),
  file,
  ...args,
];

/** The rules as text. Of those that match, the last counts. */
export function seatbeltProfile({ places }: Pick<SandboxProfile, "places">): string {
  const rules = inMountOrder(places).map(({ path, access, isFolder }) => {
    const where = `(${isFolder ? "subpath" : "literal"} ${quoted(path)})`;
    // Other programs' sockets are in such a place, but so are ours: it can only be shared.
    if (access === "write" || access === "private") return `(allow file-read* file-write* ${where})`;
    if (access === "read") return `(allow file-read* ${where})\n(deny file-write* ${where})`;
    return `(deny file-read* file-write* network-outbound ${where})`;
  });
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (subpath "/dev"))',
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    ...rules,
  ].join("\n");
}

const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
