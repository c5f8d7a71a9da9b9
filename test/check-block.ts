import { parse } from "yaml";
import { loadConfig } from "../src/config/config.ts";
import { readScript } from "../src/domain/read-script.ts";
import { readEventLine } from "../src/domain/run/event-line.ts";
import { type Block, fileOf } from "./guide-blocks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What is wrong with a block as such, without anything being run; undefined: nothing. */
export async function wrongWith(block: Block): Promise<string | undefined> {
  const check = CHECKS[block.kind];
  if (check === undefined) return `is of the unknown kind "${block.kind}": ${Object.keys(CHECKS).join(", ")}`;
  return await check(block);
}

type Check = (block: Block) => Promise<string | undefined> | string | undefined;

/** By kind. What a block does is seen when its guide is followed; `text` is held against what was printed there. */
const CHECKS: Readonly<Record<string, Check>> = {
  sh: (block) =>
    block.text.startsWith("#!") && fileOf(block) === undefined ? "must name its file in its second line" : undefined,
  md: (block) => (fileOf(block) === undefined ? "must name its file in its first line" : undefined),
  yaml: checkYaml,
  json: checkLines,
  js: () => undefined,
  ts: () => undefined,
  text: () => undefined,
};

async function checkYaml(block: Block): Promise<string | undefined> {
  const data: unknown = parse(block.text);
  const [first] = block.text.split("\n");
  if (first === "# script") return problemsOf(readScript(data));
  if (first === "# steps") return problemsOf(readScript([data]));
  const file = fileOf(block);
  if (file === undefined) return "must begin with the comment `# script`, `# steps` or the file that it is";
  if (file === ".ralph/config.yaml") return await checkConfig(block.text);
  if (file.startsWith(".github/workflows/")) return workflowSteps(data).length === 0 ? "has no steps" : undefined;
  // Of sprints and their workflows the program says it itself, when the guide is followed.
  return /(?:^|\/)(?:SPRINT\.yaml|workflows\/[\w-]+\.yaml)$/.test(file) ? undefined : `is an unknown file: ${file}`;
}

const problemsOf = (read: ReturnType<typeof readScript>): string | undefined =>
  "sessions" in read ? undefined : read.map(({ sentence }) => sentence).join("; ");

async function checkConfig(text: string): Promise<string | undefined> {
  const cwd = temporaryFolder({ ".ralph/config.yaml": text });
  return await loadConfig({ cwd, env: {} }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

/** Lines of JSON: events of a run have a type, all others are steps that a scripted agent tells of. */
function checkLines({ text }: Block): string | undefined {
  const lines = text.trimEnd().split("\n");
  return lines.find((line) => !isKnown(line));
}

function isKnown(line: string): boolean {
  const data = JSON.parse(line) as object;
  return "type" in data ? readEventLine(line) !== undefined : problemsOf(readScript([[data]])) === undefined;
}

/** A shell command of a workflow of GitHub Actions. */
export interface WorkflowStep {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The commands of a workflow, in their order; what others have made (`uses`) is left out. */
export function workflowSteps(data: unknown): WorkflowStep[] {
  // Whatever has another shape has no steps, which is said.
  const { jobs = {} } = data as { jobs?: Record<string, { steps?: readonly Partial<WorkflowStep>[] }> };
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
  return steps.flatMap(({ run, env = {} }) => (run === undefined ? [] : [{ run, env }]));
}
