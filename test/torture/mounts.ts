import { spawnSync } from "node:child_process";
import type { Need } from "./case.ts";

/** A shell with mounts that only it and its children see, and that end with them. Root is not needed. */
const PRIVATE = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"] as const;

export const MOUNTS: Need = {
  what: "private mounts (Linux, `unshare`)",
  missing: () => {
    const [file, ...args] = [...PRIVATE, "mount -t tmpfs -o size=1m tmpfs /tmp"];
    const { status, stderr, error } = spawnSync(file, args, { encoding: "utf8" });
    return status === 0 ? undefined : `no private mounts here: ${error?.message ?? stderr.trim()}`;
  },
};

/** Starts a program in a folder that has moved to a disk of 8 MB; what is there at the end is copied to another. */
export const onSmallDisk = (folder: string, left: string): string[] => [
  ...PRIVATE,
  `set -e
cp -a "$0/." "$1"
mount -t tmpfs -o size=8m,mode=700 tmpfs "$0"
cp -a "$1/." "$0"
cd "$0"
left=$1
shift
code=0
"$@" || code=$?
find "$left" -mindepth 1 -delete
cp -a . "$left"
exit $code`,
  folder,
  left,
];

/** Starts a program in a folder while another cannot be written to. */
export const onReadOnly = (closed: string, folder: string): string[] => [
  ...PRIVATE,
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$1" && shift && exec "$@"',
  closed,
  folder,
];

/** Starts a program in a folder while another is a disk of its own of 1 MB. */
export const onTinyDisk = (disk: string, folder: string): string[] => [
  ...PRIVATE,
  'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && cd "$1" && shift && exec "$@"',
  disk,
  folder,
];

/** Starts a program in a folder while another, with the files that it has, is a disk of its own of 1 MB. */
export const onTinyCopy = (disk: string, folder: string): string[] => [
  ...PRIVATE,
  `set -e
kept=$(mktemp -d)
cp -a "$0/." "$kept"
mount -t tmpfs -o size=1m,mode=700 tmpfs "$0"
cp -a "$kept/." "$0"
rm -r "$kept"
cd "$1"
shift
exec "$@"`,
  disk,
  folder,
];
