import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { partsOf } from "../resolve/parts.ts";
import type { Look } from "../source.ts";

/** A job of continuous integration. It is read, and never run. */
export interface CiJob {
  /** The file and the job: `.github/workflows/ci.yml (test)`. */
  readonly at: string;
  /** Shell texts with the folder in which they run, in order. */
  readonly steps: readonly { readonly text: string; readonly folder: string }[];
  /** Programs beside the job, such as `postgres`. */
  readonly services: readonly string[];
}

const WORKFLOWS = ".github/workflows";
/** Workflows that check nothing of a change. */
const NO_CHECK =
  /release|publish|deploy|stale|label|triage|codeql|scorecard|bench|nightly|daily|weekly|third-party|autofix|size-data|lock|cherry|backport|welcome|website|pages|docker|dependabot|changelog|renovate/i;
const MOST_FILES = 30;

/** The jobs that check a change, of GitHub Actions and GitLab. */
export async function readCi(look: Look): Promise<CiJob[]> {
  const names = (await look.names(WORKFLOWS)).filter((name) => /\.ya?ml$/.test(name) && !NO_CHECK.test(name));
  const github = await Promise.all(
    names.slice(0, MOST_FILES).map(async (name) => {
      const path = `${WORKFLOWS}/${name}`;
      return githubJobs(path, await partsIn(look, path));
    }),
  );
  return [...github.flat(), ...gitlabJobs(await partsIn(look, GITLAB))];
}

async function partsIn(look: Look, path: string): Promise<Mapping> {
  const text = await look.text(path);
  return (text === undefined ? undefined : partsOf(path, text)) ?? {};
}

function githubJobs(path: string, workflow: Mapping): CiJob[] {
  if (!isForChanges(workflow["on"] ?? workflow["true"])) return [];
  const folder = workingFolder(workflow) ?? "";
  return entriesOf(workflow["jobs"]).flatMap(([name, job]) => {
    if (!isMapping(job) || NO_CHECK.test(name) || /^(?:windows|macos)/.test(String(job["runs-on"]))) return [];
    const own = workingFolder(job) ?? folder;
    const steps = listOf(job["steps"]).flatMap((step) => stepOf(step, own));
    return [{ at: `${path} (${name})`, steps, services: servicesOf(job["services"]) }];
  });
}

/** Whether a push to a branch or a pull request starts it. */
function isForChanges(on: unknown): boolean {
  if (typeof on === "string" || Array.isArray(on)) return listOf(on).some((event) => EVENTS.includes(String(event)));
  if (!isMapping(on)) return false;
  const { push } = on;
  const isTagsOnly = isMapping(push) && "tags" in push && !("branches" in push);
  return EVENTS.some((event) => event in on && (event !== "push" || !isTagsOnly));
}

const EVENTS = ["push", "pull_request", "merge_group"];

/** Well-known actions that run a check, as the command that a person would type. */
const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/^golangci\/golangci-lint-action@/, "golangci-lint run"],
  [/^pre-commit\/action@/, "pre-commit run --all-files"],
  [/^astral-sh\/ruff-action@/, "ruff check"],
  [/^psf\/black@/, "black --check ."],
  [/^crate-ci\/typos@/, "typos"],
  [/^EmbarkStudios\/cargo-deny-action@/, "cargo deny check"],
];

function stepOf(step: unknown, folder: string): CiJob["steps"] {
  if (!isMapping(step)) return [];
  const { run, uses } = step;
  const at = step["working-directory"];
  const text = typeof run === "string" ? run : ACTIONS.find(([action]) => action.test(String(uses)))?.[1];
  return text === undefined ? [] : [{ text: asShell(text), folder: typeof at === "string" ? at : folder }];
}

/** What only the runner knows becomes a variable of the shell, which is not known either. */
const asShell = (text: string): string => text.replaceAll(/\$\{\{[^}]*\}\}/g, "$EXPRESSION");

function workingFolder(part: Mapping): string | undefined {
  const run = isMapping(part["defaults"]) ? part["defaults"]["run"] : undefined;
  const at = isMapping(run) ? run["working-directory"] : undefined;
  return typeof at === "string" ? at : undefined;
}

const servicesOf = (services: unknown): string[] =>
  isMapping(services)
    ? Object.entries(services).map(([name, service]) =>
        imageName((isMapping(service) ? service["image"] : service) ?? name),
      )
    : listOf(services).map((service) => imageName(isMapping(service) ? service["name"] : service));

const imageName = (image: unknown): string => String(image).split(/[@:]/)[0]!.split("/").at(-1)!;

const GITLAB = ".gitlab-ci.yml";
const NO_JOB =
  /^(?:\.|stages$|variables$|default$|include$|workflow$|image$|services$|cache$|before_script$|after_script$|pages$)/;

function gitlabJobs(file: Mapping): CiJob[] {
  return entriesOf(file).flatMap(([name, job]) => {
    if (NO_JOB.test(name) || NO_CHECK.test(name) || !isMapping(job)) return [];
    const texts = listOf(job["script"])
      .flat()
      .filter((line) => typeof line === "string");
    const steps = texts.map((text) => ({ text, folder: "" }));
    const services = servicesOf(job["services"] ?? file["services"]);
    return steps.length === 0 ? [] : [{ at: `${GITLAB} (${name})`, steps, services }];
  });
}

const entriesOf = (value: unknown): [string, unknown][] => (isMapping(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
