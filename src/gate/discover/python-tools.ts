import type { PinnedGate } from "../../domain/gate.ts";
import type { Mapping } from "../../domain/mapping.ts";
import { plainPartsOf, valueAt } from "../resolve/plain-parts.ts";
import type { Found, LeftOutCheck, Project } from "../source.ts";
import { ciCommand } from "./ci-command.ts";

/** A check without running the code. */
interface Tool {
  readonly id: string;
  /** As CI types it. */
  readonly call: RegExp;
  /** As it is typed without CI; undefined: only CI knows. */
  readonly run?: string;
  /** Its package. */
  readonly name: string;
  /** Where its settings may be. */
  readonly files: readonly string[];
  /** It has to be told what to check, by its settings or by a folder `src`. */
  readonly needsFiles?: boolean;
  /** With this tool it is only run where CI runs it. */
  readonly unless?: string;
}

/** A new tool is one line here. Formatters are red in a project that does not use them, so CI has to. */
const TOOLS: readonly Tool[] = [
  { id: "ruff", name: "ruff", call: /^ruff (?:check\b|\.)/, run: "ruff check", files: ["ruff.toml", ".ruff.toml"] },
  { id: "ruff-format", name: "ruff", call: /^ruff format\b/, files: [] },
  { id: "black", name: "black", call: /^black\b/, files: [] },
  { id: "flake8", name: "flake8", call: /^flake8\b/, run: "flake8", files: [".flake8"] },
  { id: "mypy", name: "mypy", call: /^mypy\b/, run: "mypy", files: ["mypy.ini", ".mypy.ini"], needsFiles: true },
  {
    id: "pyright",
    name: "pyright",
    call: /^(?:based)?pyright\b/,
    run: "pyright",
    files: ["pyrightconfig.json"],
    unless: "mypy",
  },
];

/** What is known of a project in Python. */
export interface Python {
  readonly project: Project;
  readonly pyproject: Mapping;
  /** The texts that name what is installed for development. */
  readonly named: string;
  /** Puts a program of the project's environment before a command. */
  readonly start: (program: string) => string;
  /** A lock file says what is installed. */
  readonly isLocked: boolean;
}

/** What CI types, or the tool alone if it is installed and knows what to check. */
export async function toolGates(about: Python): Promise<Required<Pick<Found, "gates" | "leftOut">>> {
  const gates: PinnedGate[] = [];
  const leftOut: LeftOutCheck[] = [];
  for (const tool of TOOLS) {
    const at = settingsOf(about, tool);
    const typed = ciCommand(about.project, tool.call);
    if (typed === undefined && (at === undefined || tool.run === undefined)) continue;
    if (typed === undefined && gates.some(({ id }) => id === tool.unless)) continue;
    const run = typed === undefined ? await ownCommand(about, tool) : started(about, tool, typed);
    if (run !== undefined) gates.push({ id: tool.id, run: checking(about, run), script: undefined, at: at ?? "CI" });
    else
      leftOut.push({ what: tool.run ?? tool.name, at: at ?? "CI", why: `nothing says how ${tool.name} is run here` });
  }
  return { gates, leftOut };
}

function settingsOf({ project, pyproject }: Python, { name, files }: Tool): string | undefined {
  const file = files.find((one) => project.names.includes(one));
  return file ?? (valueAt(pyproject, `tool.${name}`) === undefined ? undefined : `pyproject.toml (tool.${name})`);
}

const isInstalled = ({ named }: Python, { name }: Tool): boolean =>
  new RegExp(`(?:^|["'\\s,;[])${name}(?![\\w-])`, "m").test(named);

/** CI may have the tool on its PATH; here it is in the environment of the lock file. */
const started = (about: Python, tool: Tool, typed: string): string =>
  about.isLocked && typed.startsWith(`${tool.name} `) && isInstalled(about, tool) ? about.start(typed) : typed;

async function ownCommand(about: Python, tool: Tool): Promise<string | undefined> {
  if (tool.run === undefined || !isInstalled(about, tool)) return undefined;
  if (tool.needsFiles !== true || (await knowsFiles(about, tool))) return about.start(tool.run);
  return about.project.names.includes("src") ? about.start(`${tool.run} src`) : undefined;
}

async function knowsFiles({ project, pyproject }: Python, { name, files }: Tool): Promise<boolean> {
  const file = files.find((one) => project.names.includes(one));
  const settings =
    file === undefined
      ? valueAt(pyproject, `tool.${name}`)
      : valueAt(plainPartsOf(file, (await project.look.text(file)) ?? ""), name);
  return ["files", "packages", "modules"].some((key) => valueAt(settings, key) !== undefined);
}

/** With `fix = true` in its settings, ruff changes files unless it is told not to. */
const checking = ({ pyproject }: Python, run: string): string =>
  valueAt(pyproject, "tool.ruff.fix") === "true"
    ? run.replace(/\bruff check\b(?!.*--no-fix)/, "ruff check --no-fix")
    : run;
