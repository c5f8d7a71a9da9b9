import { isProduct } from "./product-name.ts";

/** Programs whose names say nothing about files: shells, languages, and what every system has. */
const COMMON = new Set(
  "apt awk bash bun busybox c++ cargo cat cc cd chmod clang cmp command cp curl cut dash date deno diff docker dotnet echo env exit expect expr false find flutter gcc git go grep head install java javac jq kill ksh less ln ls lua make mkdir mktemp mv node nohup npm npx open perl php pip pnpm podman printf ps psql pwd python read rg rm rsync ruby rust rustc sed seq set sh sleep sort source ssh start sudo tail tar task tee test time timeout touch tr true uniq unzip uv wait watch wc wget which xargs yarn zip zsh".split(
    " ",
  ),
);

/** Programs that start another tool by a word of their own: `cargo deny`, `npx knip`. */
const STARTERS = /^(?:cargo|npx|bunx|uvx|pnpx|dlx|composer|gem|rails|flutter|dart|mix)$/;

/** The tools that a command starts, by the names that their files may have. What lies in the repository is none. */
export function toolsOf(path: string, args: readonly string[]): string[] {
  const slash = path.lastIndexOf("/");
  if (slash >= 0 && !/(?:^|\/)(?:node_modules\/\.bin|vendor\/bin|\.?venv\/bin)\/[^/]+$/.test(path)) return [];
  const program = path.slice(slash + 1);
  const module = program.startsWith("python") && args[0] === "-m" ? args[1] : undefined;
  const started = STARTERS.test(program) ? args.find((word) => !/^[-+]/.test(word)) : undefined;
  return [program, module?.split(".")[0], started].flatMap((name) => bareName(name ?? ""));
}

function bareName(name: string): string[] {
  const bare = name.toLowerCase().replace(/(?<=[a-z])[\d.]+$/, "");
  return bare.length < 2 || COMMON.has(bare) ? [] : [joined(bare)];
}

/** `ansible-lint` and `ansible_lint` are one name. */
const joined = (name: string): string => name.replaceAll(/[-_]/g, "");

const DATA = "(?:toml|ya?ml|ini|cfg|conf|config|json[c5]?|hcl|neon|xml|properties|edn|exs|lua)";
const ROLE =
  "(?:config|conf|settings|options|setup|preset|rules?|baseline|suppressions?|ignores?|todo|thresholds?|budgets?)";

/** How a file of a tool is named after it: `.xrc`, `.xignore`, `x.toml`, `x.config.ts`, `x-baseline.xml`, `xfile.js`. */
const SHAPES: readonly RegExp[] = [
  /^\.(\w[\w-]*?)(?:rc|ignore)?(?:[._][\w.-]*)?$/,
  new RegExp(String.raw`^(\w[\w-]*?)\.${DATA}$`),
  new RegExp(String.raw`^(\w[\w-]*?)(?:[._-]${ROLE}|rc)(?:[._-][\w.-]*)?$`),
  new RegExp(String.raw`^(\w[\w-]*?)_\w+\.${DATA}$`),
  /^(\w[\w-]*?)file(?:\.\w+)*$/,
];

/** T-10: the tool, if a file is called after one that a gate starts. A file of the product may have such a name, too. */
export function toolOfFile(path: string, tools: ReadonlySet<string>): string | undefined {
  if (tools.size === 0) return undefined;
  const steps = path.toLowerCase().split("/");
  const file = steps.pop()!.replace(/\.dist$/, "");
  const folders = steps.flatMap((step) => /^\.(\w[\w-]*)$/.exec(step)?.[1] ?? []);
  const shapes = isProduct("", path) ? [] : SHAPES;
  const names = [...folders, ...shapes.flatMap((shape) => shape.exec(file)?.[1] ?? [])];
  return names.map(joined).find((name) => tools.has(name));
}
