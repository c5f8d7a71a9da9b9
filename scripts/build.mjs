// Bundles the program into dist/, one lazy chunk per command, and the library into dist/library/, with its declarations.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { asCommonJs } from "./common-js.mjs";
import { linkChunks } from "./link-chunks.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const library = join(dist, "library");
const TARGET = "node20.19";

/** CommonJS dependencies of ours ask for Node's own modules by require, which an ES module does not have. */
const WITH_REQUIRE =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** Files of the program, each with the entries that it is made for: what is asked for most is loaded from the fewest. */
const GROUPS = {
  "start.js": /^(bin\.|through-door-)/,
  "dispatch.js": /^dispatch-/,
  "tasks.js": /^task-(?!approve|done|import)[a-z-]+-/,
  "status.js": /^status-/,
  "config.js": /^load-/,
  "prompt.js": /^prompt-/,
  "gates.js": /^gates-/,
  "run.js": /^(run|step)-[A-Z0-9]+\./,
};

/** The parser of command lines can start programs as commands, of which we have none: Node need not load that. */
const withoutSubprograms = {
  name: "without-subprograms",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes("/commander/") ? { path, namespace: "empty" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "" }));
  },
};

/** Style sheets that a page has inside: `import STYLE from "./x.css?raw"`, as the tests' bundler spells it. */
const asText = {
  name: "as-text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice(0, -"?raw".length)),
      namespace: "text",
    }));
    onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// `--plain FOLDER` writes the program there as the bundler makes it: ES modules, one file per chunk. The program in dist/
// must do the same, only faster; `npm run bench quick` measures how much, test/e2e/plain-program.slow.test.ts compares both.
if (process.argv.includes("--plain")) {
  const folder = resolve(process.argv[process.argv.indexOf("--plain") + 1]);
  await bundle({ entryPoints: ["src/bin.ts"], outdir: folder, banner: { js: WITH_REQUIRE } });
  write(join(folder, "package.json"), `{ "type": "module" }\n`);
  process.exit();
}

const withTypes = !process.argv.includes("--no-types");
const stale = withTypes ? [dist] : [join(dist, "chunks"), join(library, "chunks")];
for (const folder of stale) rmSync(folder, { recursive: true, force: true });

const program = await bundle({ entryPoints: ["src/bin.ts", "src/door.ts"], outdir: "dist", write: false });
const chunks = linkChunks(await chunksOf(program), GROUPS);
for (const { name, text } of chunks) write(join(dist, "chunks", name), text);
write(join(dist, "bin.js"), readFileSync(join(root, "scripts/bin.cjs"), "utf8").replace("BUILD_ID", idOf(chunks)));
write(join(dist, "package.json"), `{ "type": "commonjs" }\n`);

const modules = await bundle({ entryPoints: ["src/index.ts"], outdir: "dist/library", banner: { js: WITH_REQUIRE } });
write(join(library, "package.json"), `{ "type": "module" }\n`);

const page = await bundlePage();

chmodSync(join(dist, "bin.js"), 0o755);
writeFileSync(
  join(dist, "config.schema.json"),
  execFileSync(process.execPath, [join(dist, "bin.js"), "config", "schema"]),
);
writeFileSync(
  join(dist, "THIRD-PARTY.txt"),
  notices([program, modules, page].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);
if (withTypes) {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
}

function bundle(options) {
  return build({
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: TARGET,
    chunkNames: "chunks/[name]-[hash]",
    define: { RALPHCTL_VERSION: JSON.stringify(version) },
    // Native code cannot be bundled; it is loaded where Node's own SQLite is too old. Only a fleet loads the other.
    external: ["@photostructure/sqlite", "pg"],
    // Its entry for Node is CommonJS, which can be neither split nor shaken.
    alias: {
      yaml: "./node_modules/yaml/browser/index.js",
      // For Node it brings a checker of JSON Schemas that is larger than all the rest of it, and of no use to us.
      "@modelcontextprotocol/server/_shims": "./node_modules/@modelcontextprotocol/server/dist/shimsBrowser.mjs",
    },
    plugins: [withoutSubprograms, asText],
    legalComments: "none",
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    logLevel: "warning",
    ...options,
  });
}

/** The page of `ralphctl ui`, for browsers of the last two years. */
function bundlePage() {
  return bundle({
    entryPoints: ["src/ui/page/main.tsx", "src/ui/page/page.css"],
    entryNames: "[name]",
    outdir: "dist/page",
    platform: "browser",
    target: ["chrome120", "firefox121", "safari17.2"],
    splitting: false,
    minify: true,
    external: [],
    plugins: [],
  });
}

/** Text by file name. To load what has only sources of ours changes nothing: who uses nothing of it need not. */
async function chunksOf({ outputFiles, metafile }) {
  const outputs = Object.entries(metafile.outputs);
  const isOurs = ([, { inputs }]) => Object.keys(inputs).every((input) => input.startsWith("src/"));
  const idle = new Set(outputs.filter(isOurs).map(([path]) => basename(path)));
  const chunks = outputFiles.map(async ({ path, text }) => [
    basename(path),
    await asCommonJs(text, { target: TARGET, idle }),
  ]);
  return new Map(await Promise.all(chunks));
}

function idOf(chunks) {
  return createHash("sha256").update(JSON.stringify(chunks)).digest("hex").slice(0, 12);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
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
