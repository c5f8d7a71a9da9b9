// Bundles the benchmarks (they are TypeScript, Node 20 is not) and runs them: `npm run bench [NAME…]`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = join(root, ".cache", "bench");
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ["bench/all.ts"],
  outdir,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external: ["@photostructure/sqlite", "pg", "playwright-core", "yaml"],
  logLevel: "warning",
});
// Benchmarks write the settings of their repositories themselves (B-01).
process.env.RALPHCTL_TRUST = "1";
const { all } = await import(pathToFileURL(join(outdir, "all.js")).href);
await all(process.argv.slice(2), (line) => console.log(line));
