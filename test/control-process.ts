import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { onTestFinished, vi } from "vitest";
import { homeOf, temporaryFolder } from "./temporary-folder.ts";

/** A process of a test: what it printed so far, and how it ended. */
export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly output: () => string;
  /** Resolves once it has printed this. */
  readonly says: (text: string) => Promise<void>;
  /** The exit code, or the signal. */
  readonly ended: Promise<number | string>;
}

/** Starts a program whose process ends with the test at the latest. */
export function startProcess(file: string, args: readonly string[], cwd = process.cwd()): Started {
  const child = spawn(file, [...args], { cwd, env: { ...process.env, ...homeOf(cwd) } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  child.stdin.on("error", () => undefined);
  let isOver = false;
  const ended = new Promise<number | string>((done) => {
    child.on("close", (code, signal) => {
      isOver = true;
      done(signal ?? code ?? -1);
    });
  });
  onTestFinished(() => void (isOver || child.kill("SIGKILL")));
  return {
    child,
    pid: child.pid!,
    output: () => output,
    says: async (text) => {
      await vi.waitUntil(() => output.includes(text) || isOver, { timeout: 50_000, interval: 5 });
      if (!output.includes(text)) throw new Error(`It ended without saying ${text}, but: ${output}`);
    },
    ended,
  };
}

/** Bundles the worker; returns its path. */
export async function buildWorker(): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(resolve("node_modules"), join(folder, "node_modules")); // the bundle must find the SQLite package
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: ["test/control-worker.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["@photostructure/sqlite"],
    // For what is bundled and was written for the older module system.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return outfile;
}
