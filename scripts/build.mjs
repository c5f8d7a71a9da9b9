// Bundles the program and the library into dist/, one lazy chunk per command, and writes the declarations beside it.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const withTypes = !process.argv.includes("--no-types");
rmSync(withTypes ? dist : join(dist, "chunks"), { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: ["src/bin.ts", "src/index.ts"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  chunkNames: "chunks/[name]-[hash]",
  define: { RALPHCTL_VERSION: JSON.stringify(version) },
  // CommonJS dependencies of ours ask for Node's own modules by require, which an ES module does not have.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  // Native code cannot be bundled; it is loaded where Node's own SQLite is too old.
  external: ["@photostructure/sqlite"],
  // Its entry for Node is CommonJS, which can be neither split nor shaken.
  alias: {
    yaml: "./node_modules/yaml/browser/index.js",
    // For Node it brings a checker of JSON Schemas that is larger than all the rest of it, and of no use to us.
    "@modelcontextprotocol/server/_shims": "./node_modules/@modelcontextprotocol/server/dist/shimsBrowser.mjs",
  },
  legalComments: "none",
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  logLevel: "warning",
});
chmodSync(join(dist, "bin.js"), 0o755);
writeFileSync(
  join(dist, "config.schema.json"),
  execFileSync(process.execPath, [join(dist, "bin.js"), "config", "schema"]),
);
writeFileSync(join(dist, "THIRD-PARTY.txt"), notices(Object.keys(result.metafile.inputs)));
if (withTypes) {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
}

/** Bundled libraries ask that their licence goes with them. */
function notices(inputs) {
  const names = inputs.map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean);
  return [...new Set(names)].sort().map(notice).join("\n\n");
}

function notice(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"]
    .map((entry) => join(folder, entry))
    .find(existsSync);
  return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}`;
}
