import { toolOfFile } from "./own-settings.ts";
import { KEPT_RESULTS, TOOL_FILES, type ToolFile } from "./tool-files.ts";

/** What a gate's commands are known by. */
interface Commands {
  readonly text: string;
  readonly tools: ReadonlySet<string>;
}

/** The part of the table that the commands of one gate can use. */
interface UsedFiles {
  readonly text: string;
  readonly entries: readonly ToolFile[];
  asked: number;
  /** One pattern for all: most files are in none. To make it takes as long as to ask some hundred times without it. */
  any: RegExp | undefined;
}

const MANY = 200;
let used: UsedFiles | undefined;

function filesFor(text: string): UsedFiles {
  if (used?.text === text) return used;
  const entries = TOOL_FILES.filter(({ tools }) => tools === undefined || tools.test(text));
  used = { text, entries, asked: 0, any: undefined };
  return used;
}

/** The entry of the table for a path, if a gate's commands use the tool. */
export function toolFileFor(path: string, text: string): ToolFile | undefined {
  const files = filesFor(text);
  files.asked += 1;
  if (files.asked === MANY) files.any = new RegExp(files.entries.map((entry) => entry.path.source).join("|"), "i");
  return files.any?.test(path) === false ? undefined : files.entries.find((entry) => entry.path.test(path));
}

/** The same, and files that are called after a tool which no line of the table knows. */
export function settingFor(path: string, { text, tools }: Commands): Pick<ToolFile, "why"> | undefined {
  const known = toolFileFor(path, text);
  if (known !== undefined) return known;
  const tool = toolOfFile(path, tools);
  return tool === undefined ? undefined : { why: `settings of ${tool}` };
}

/** The tools of a gate's commands, in words. */
export const toolsIn = (text: string): string[] => [...new Set(filesFor(text).entries.map(({ why }) => why))];

/** Names that tools look for; others, like `tsconfig.build.json`, take effect only if something names them. */
const ONLY_IF_NAMED =
  /(?:^|\/)(?:tsconfig\.[\w.-]+\.json|(?:vitest|vite|jest|playwright|cypress)[\w-]*\.(?!config\.|workspace\.|setup\.|env\.)[\w.-]+)$/i;

/** Whether a file takes effect by being there. */
export const isFoundByName = (path: string, text: string): boolean =>
  !ONLY_IF_NAMED.test(path) || text.includes(path.slice(path.lastIndexOf("/") + 1));

const KEPT = new RegExp(`(?:^|/)${KEPT_RESULTS}/`);

/** The folder in which a file takes effect: `.cargo/config.toml` does beside `.cargo`. */
export function effectFolder(path: string): string {
  // Bazel starts this one in place of itself.
  const steps = path
    .replace(/(?<=^|\/)tools\/bazel$/, "bazel")
    .split("/")
    .slice(0, -1);
  const installed = steps.findIndex((step) =>
    /^(?:node_modules|vendor|\.?venv|site-packages|patches|rakelib|magefiles|.+\.(?:dist|egg)-info)$/.test(step),
  );
  if (installed >= 0) return steps.slice(0, installed).join("/");
  // Whatever is among the resources of a program, its tests find, too.
  const resources = steps.lastIndexOf("resources");
  if (resources > 0) return steps.slice(0, resources - 1).join("/");
  const kept = KEPT.exec(path);
  if (kept !== null) return path.slice(0, kept.index);
  while (
    steps.length > 0 &&
    (steps.at(-1)!.startsWith(".") || /^(?:_?pytest|unittest|workflows|actions|mise)$/.test(steps.at(-1)!))
  ) {
    steps.pop();
  }
  return steps.join("/");
}
