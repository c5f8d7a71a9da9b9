import { readdirSync, readlinkSync } from "node:fs";
import { textIn } from "../folder.ts";

/** A connection on this machine, seen from the end that was called. */
export interface LocalConnection {
  readonly ownPort: number;
  readonly peerPort: number;
}

/** The processes that hold the calling end of a connection; none where the system does not tell (only Linux does). */
export function socketHolders(connection: LocalConnection): number[] {
  const inodes = ["tcp", "tcp6"].flatMap((name) => inodesIn(textIn(`/proc/net/${name}`) ?? "", connection));
  if (inodes.length === 0) return [];
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  return namesIn("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => namesIn(`/proc/${pid}/fd`).some((file) => sockets.has(linkAt(`/proc/${pid}/fd/${file}`))))
    .map(Number);
}

/** Rows of `/proc/net/tcp`: number, own address, other address, seven more columns, inode. Ports are four hex digits. */
export const inodesIn = (table: string, { ownPort, peerPort }: LocalConnection): string[] =>
  table.split("\n").flatMap((row) => {
    const [, from = "", to = "", ...rest] = row.trim().split(/\s+/);
    const inode = rest[6];
    return from.endsWith(hex(peerPort)) && to.endsWith(hex(ownPort)) && inode !== undefined ? [inode] : [];
  });

const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it has ended, or is another user's
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
