import { newestVersion } from "../../app/newest-version.ts";
import { isNewer } from "../../domain/newer-version.ts";
import { version } from "../../domain/version.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Says whether there is a newer version, and how to get it. It changes nothing. */
export async function run(_input: Input, io: Io): Promise<void> {
  const newest = await newestVersion(io);
  const how = "npm install --global ralphctl@latest";
  if (newest === undefined) {
    io.out(`This is ralphctl ${version}. npm finds no version of it in the registry that it uses\n`);
    io.err(`If yours comes from a folder or a file, install it from there again; otherwise try: ${how}\n`);
  } else if (isNewer(newest, version))
    io.out(`This is ralphctl ${version}, and ${newest} is out. To upgrade: ${how}\n`);
  else io.out(`This is ralphctl ${version}, the newest version\n`);
}
