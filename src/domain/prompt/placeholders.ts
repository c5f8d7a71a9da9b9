import { RalphError } from "../error.ts";
import { checkScopeName } from "../scope-name.ts";
import { fill } from "./fill.ts";

export interface PlaceholderOptions {
  /** The name given by `--project`; absent in an unscoped run. */
  readonly project?: string | undefined;
  /** The specs directories, comma-joined. */
  readonly specs?: string | undefined;
  /** The plan file. */
  readonly plan?: string | undefined;
  /** The strongest model, as a name or a description. */
  readonly smart?: string | undefined;
  /** The fastest model, as a name or a description. */
  readonly fast?: string | undefined;
}

interface Placeholder {
  /** Its value; undefined leaves the placeholder as it is. */
  readonly value: (options: PlaceholderOptions) => string | undefined;
  /** Also resolved in prompts that people wrote without the template line. */
  readonly everywhere?: true;
}

/** Every placeholder there is: a new one is one entry here. */
const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  project: { value: projectPath, everywhere: true },
  specs: { value: (options) => options.specs },
  plan: { value: (options) => options.plan },
  smart: { value: (options) => options.smart },
  fast: { value: (options) => options.fast },
};

/** The first line of a prompt file that uses all placeholders. It is not sent, nor is an empty line below it. */
export const TEMPLATE_LINE = "<!-- ralphctl template 1 -->";

/**
 * Fills the placeholders of a prompt file: `{project}` in any, the others where the first line is {@link TEMPLATE_LINE}.
 * Throws when `{project}` is there and no project was given, and when the project's name could leave `projects/`.
 */
export function resolvePromptPlaceholders(content: string, options: PlaceholderOptions): string {
  if (options.project !== undefined) checkScopeName("project", options.project);
  const body = templateBody(content);
  const used = Object.entries(PLACEHOLDERS).filter(([, placeholder]) => body !== undefined || placeholder.everywhere);
  return fill(body ?? content, new Map(used.map(([name, { value }]) => [name, () => value(options)])));
}

/** Whether a prompt file is the shipped template, edited or not; any other is a person's own prompt (P-03). */
export const isTemplate = (content: string): boolean => templateBody(content) !== undefined;

/** The placeholders that stay as they are, because the prompt is a person's own (D-01). */
export function unfilled(content: string): string[] {
  if (isTemplate(content)) return [];
  const names = Object.entries(PLACEHOLDERS).flatMap(([name, { everywhere }]) => (everywhere ? [] : [name]));
  const found = content.matchAll(new RegExp(`(?<!\\\\)\\{(?:${names.join("|")})\\}`, "g"));
  return [...new Set(Array.from(found, ([written]) => written))];
}

/** What follows the template line; undefined for any other prompt. */
function templateBody(content: string): string | undefined {
  const end = content.indexOf("\n");
  const first = end === -1 ? content : content.slice(0, end);
  if (first.replace(/^\uFEFF/, "").trimEnd() !== TEMPLATE_LINE) return undefined;
  return end === -1 ? "" : content.slice(end + 1).replace(/^\r?\n/, "");
}

// Always with forward slashes: prompts are read by agents, not by the operating system.
function projectPath({ project }: PlaceholderOptions): string {
  if (project !== undefined) return `projects/${project}`;
  throw new RalphError(
    "usage",
    "Prompt contains {project} placeholder but --project flag was not provided. " +
      "Either provide --project flag or remove {project} from your prompt templates.",
    { hint: "Write `\\{project}` for the literal text" },
  );
}
