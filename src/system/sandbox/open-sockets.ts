import { textIn } from "../folder.ts";

/** Numbers, the mark of a socket that listens, its kind and state, and the path. */
const LISTENS = /^[0-9a-f]+: [0-9A-F]+ [0-9A-F]+ 00010000 [0-9A-F]+ [0-9A-F]+ +\d+ (\/.+)$/gm;

/** The sockets in files on which programs of this machine listen (Linux). */
export const openSockets = (): string[] =>
  Array.from((textIn("/proc/net/unix") ?? "").matchAll(LISTENS), ([, path = ""]) => path);
