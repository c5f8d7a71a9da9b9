/**
 * The part of an ignored path that programs make, by its usual name: `web/node_modules/`, `debug.log`. Undefined for
 * all others. A folder ends in a slash.
 */
export function buildOutputIn(path: string): string | undefined {
  const folder = FOLDER.exec(path);
  if (folder !== null) return path.slice(0, folder.index + folder[0].length);
  return FILE.test(path) ? path : undefined;
}

/** Folders that tools make, and can make again. */
export const TOOL_FOLDERS: ReadonlySet<string> = new Set(
  (
    "node_modules .venv venv .tox .nox .eggs __pycache__ .mypy_cache .pytest_cache .ruff_cache dist build out target " +
    "coverage vendor Pods .gradle .cache .next .nuxt .svelte-kit .turbo .parcel-cache .terraform"
  ).split(" "),
);

const FOLDERS = [
  "node_modules|bower_components|vendor|pods|elm-stuff",
  String.raw`\.?v?env|\.tox|\.nox|\.eggs|[^/]*\.egg-info|__pycache__|\.ipynb_checkpoints|\.hypothesis|\.direnv`,
  "dist|build|out|target|obj|_build|dist-newstyle|zig-out|cmake-build-[^/]*|deriveddata|storybook-static",
  String.raw`bin/(?:debug|release)`,
  String.raw`\.(?:next|nuxt|output|svelte-kit|astro|turbo|angular|docusaurus|expo|gradle|dart_tool|stack-work|build)`,
  String.raw`\.(?:terraform|serverless|vercel|netlify|wrangler)`,
  String.raw`coverage|htmlcov|\.nyc_output|test-results|playwright-report`,
  "[^/]*cache[^/]*|tmp|temp|logs?",
];
const FOLDER = new RegExp(String.raw`(?<=^|/)(?:${FOLDERS.join("|")})/`, "i");

const ENDINGS = "log|py[co]|o|obj|so|dylib|dll|exe|class|tsbuildinfo|sw[op]|tmp|pid";
const FILE = new RegExp(
  String.raw`(?:^|/)(?:[^/]+\.(?:${ENDINGS})|\.ds_store|thumbs\.db|\.coverage|\.[^/]*cache)$`,
  "i",
);
