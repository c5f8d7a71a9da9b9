import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { Repository } from "../src/system/git/repository.ts";
import { atEnd } from "./at-end.ts";
import { repositoryAt } from "./git-place.ts";
import { git, temporaryFolder, temporaryRepository } from "./temporary-folder.ts";

/** A bare repository with one commit on `main`, and the folder of a clone from which it came. */
export function bareRemote(files: Readonly<Record<string, string>> = { "a.txt": "1\n" }): string {
  const first = temporaryRepository(files);
  const bare = join(temporaryFolder(), "remote.git");
  git(first, "clone", "--quiet", "--bare", first, bare);
  return bare;
}

/** A clone on this machine, with a name of its own. */
export async function cloneOf(address: string): Promise<Repository> {
  const folder = join(temporaryFolder(), "clone");
  git(dirname(folder), "clone", "--quiet", address, folder);
  git(folder, "config", "user.name", "Test");
  git(folder, "config", "user.email", "test@example.invalid");
  return await repositoryAt(folder);
}

/** A hook of the remote: what it says goes to whoever pushes. */
export function addHook(bare: string, name: string, script: string): void {
  const path = join(bare, "hooks", name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Serves a bare repository over git's own protocol, on loopback. Returns its address, and a function that ends it. */
export async function serveByDaemon(
  bare: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const port = await freePort();
  const args = ["daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
  const base = dirname(bare);
  const child = spawn("git", [...args, `--port=${port}`, `--base-path=${base}`, base], {
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise<void>((resolve) => void child.on("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGTERM");
    await ended;
  };
  atEnd(stop);
  const url = `git://127.0.0.1:${port}/${bare.slice(base.length + 1)}`;
  for (let tries = 0; tries < 200; tries++) {
    try {
      git(base, "ls-remote", url);
      return { url, stop };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("git daemon does not answer");
}

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}
