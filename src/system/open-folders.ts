import { chmodSync, lstatSync, readdirSync } from "node:fs";

/** Gives us all rights on a folder and those below it. No link is followed. */
export function openFolders(folder: Buffer): void {
  const { mode } = lstatSync(folder);
  if ((mode & 0o700) !== 0o700) chmodSync(folder, mode | 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    if (entry.isDirectory()) openFolders(Buffer.concat([folder, Buffer.from("/"), entry.name]));
  }
}
