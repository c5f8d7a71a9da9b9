// Packs the package, installs it as a user would, and runs it: the version, a whole demo, and the library. With the Node
// that this is started with.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ralphctl-package-"));
// The installed program begins with `env node`: it must be this one.
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const run = (file, args, cwd = folder) =>
  execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
try {
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root));
  run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", join(folder, filename)]);
  const program = join(folder, "node_modules", ".bin", "ralphctl");
  const version = run(program, ["--version"]).trim();
  const demo = run(program, ["demo", "--plain"]);
  if (!demo.includes("Complete and verified")) throw new Error(`the demo failed:\n${demo}`);
  const library = run(process.execPath, [
    "--input-type=module",
    "-e",
    "console.log(typeof (await import('ralphctl')).buildRalphPrompt)",
  ]);
  if (library.trim() !== "function") throw new Error("the library cannot be imported");
  console.log(`ralphctl ${version} installs and runs on Node ${process.version}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
