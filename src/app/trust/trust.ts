import { RalphError } from "../../domain/error.ts";
import type { Environment } from "../../domain/environment.ts";
import { groupBy } from "../../domain/group.ts";
import { type FactChange, factChanges, type TrustFact } from "../../domain/trust-facts.ts";
import { type OpenSprint, openSprint } from "../sprint/open-sprint.ts";
import {
  openWorkspace,
  openWorkspaceScope,
  type ScopeChoice,
  type Surroundings,
  type Workspace,
} from "../workspace.ts";
import { gatherTrust, SETTINGS, type TrustAbout, type TrustArea } from "./gather.ts";
import { lastFacts, readTrust, removeTrust, trustFile, writeTrust } from "./record.ts";

export { allTrust, type TrustRecord } from "./record.ts";

/** How a repository stands: what it starts and sets, and whether a person has said yes to exactly that. */
export interface TrustReview {
  readonly root: string;
  readonly isTrusted: boolean;
  /** A person said yes to something else here before. */
  readonly isChanged: boolean;
  /** Facts of all areas, and how they differ from the last yes. */
  readonly changes: readonly FactChange[];
  /** Where the yes is kept; undefined: nowhere. */
  readonly file: string | undefined;
  readonly areas: readonly TrustArea[];
}

/** Looks at what the workspace, its agents' files and the sprint of a scope start and set. Starts nothing. */
export async function reviewTrust(
  workspace: Workspace,
  env: Environment,
  about: TrustAbout = {},
): Promise<TrustReview> {
  const areas = await gatherTrust(workspace, env, about);
  const file = trustFile(workspace.root, env);
  const isPlain = areas.every(({ facts }) => facts.length === 0);
  // A repository that starts and sets nothing needs nobody's yes, and no file is read.
  const record = isPlain || file === undefined ? undefined : await readTrust(file);
  const isTrusted = areas.every(
    ({ name, hash, facts }) => facts.length === 0 || record?.areas[name]?.hashes.includes(hash) === true,
  );
  const changes = [...groupBy(areas, ({ name }) => name)].flatMap(([name, each]) =>
    factChanges(lastFacts(record, name), distinctFacts(each)),
  );
  const isChanged = !isTrusted && areas.some(({ name }) => lastFacts(record, name).length > 0);
  return { root: workspace.root, isTrusted, isChanged, changes, file, areas };
}

const distinctFacts = (areas: readonly TrustArea[]): TrustFact[] => [
  ...new Map(
    areas.flatMap(({ facts }) => facts).map((fact) => [JSON.stringify([fact.key, fact.value]), fact]),
  ).values(),
];

/** Opens what a command is about, and looks at it. */
export async function reviewScope(choice: ScopeChoice, surroundings: Surroundings): Promise<TrustReview> {
  const workspace = await openWorkspace(surroundings);
  return await reviewTrust(workspace, surroundings.env, { sprint: await sprintOf(workspace, choice), agents: true });
}

async function sprintOf(workspace: Workspace, choice: ScopeChoice): Promise<OpenSprint | undefined> {
  if (choice.sprint === undefined) return undefined;
  return await openSprint(workspace, await openWorkspaceScope(workspace, choice), { isStrict: false });
}

/** Remembers that a person said yes to this. */
export async function acceptTrust({ root, file, areas }: Pick<TrustReview, "root" | "file" | "areas">): Promise<void> {
  if (file === undefined) {
    throw new RalphError("config", "There is no place to remember it: neither XDG_STATE_HOME nor HOME is set", {
      hint: "Set HOME, or add --trust to trust this repository for one command",
    });
  }
  await writeTrust(file, root, areas);
}

/** Forgets what was said here. False: nothing was. */
export async function forgetTrust(surroundings: Surroundings): Promise<boolean> {
  const file = trustFile((await openWorkspace(surroundings)).root, surroundings.env);
  return file === undefined ? false : await removeTrust(file);
}

/**
 * B-01: goes on if the repository's files start and set nothing, or a person has said yes to all of it, here or earlier.
 * Everything that starts a program of the repository's passes here first.
 */
export async function requireTrust(
  workspace: Workspace,
  surroundings: Pick<Surroundings, "trust" | "env">,
  about: TrustAbout = {},
): Promise<void> {
  if (isTrustGiven(surroundings)) return;
  const review = await reviewTrust(workspace, surroundings.env, about);
  if (review.isTrusted) return;
  const answer = await surroundings.trust?.ask?.(review);
  if (answer === true && review.file !== undefined) await acceptTrust(review);
  if (answer !== true) throw notTrusted(review, answer);
}

/** Asks before anything is drawn on the terminal. What has no answer is refused later, by `requireTrust`. */
export async function settleTrust(choice: ScopeChoice, surroundings: Surroundings): Promise<void> {
  if (surroundings.trust?.ask === undefined || isTrustGiven(surroundings)) return;
  const workspace = await openWorkspace(surroundings);
  await requireTrust(workspace, surroundings, { sprint: await sprintOf(workspace, choice), agents: true });
}

const SAID: Readonly<Record<string, boolean>> = { "1": true, true: true, "": false, "0": false, false: false };

/** By a flag or the environment, for one command. */
export function isTrustGiven({ trust, env }: Pick<Surroundings, "trust" | "env">): boolean {
  const { RALPHCTL_TRUST: said = "" } = env;
  if (trust?.isGiven === true) return true;
  if (Object.hasOwn(SAID, said)) return SAID[said] === true;
  throw new RalphError("config", `RALPHCTL_TRUST must be 1 or 0, not ${JSON.stringify(said)}`, {
    hint: "Set it to 1 to trust the repository, or unset it",
  });
}

const NAMED = 4;

function notTrusted({ changes, isChanged }: TrustReview, answer: boolean | undefined): RalphError {
  const open = changes.filter(({ change }) => change !== "same").map(({ key }) => key);
  const named = [...new Set(open)].slice(0, NAMED);
  const rest = new Set(open).size - named.length;
  const list = `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const what = isChanged
    ? `This repository's settings have changed since you trusted them: ${list}`
    : `This repository's own files start programs or change how agents run, and you have not trusted them: ${list}`;
  return new RalphError("config", answer === false ? `Nothing was started. ${what}` : what, {
    hint: "Look at them and say yes with ralphctl trust; in CI, add --trust or set RALPHCTL_TRUST=1",
  });
}

/**
 * Runs a person's own change to the repository's settings, such as an edit by a command: if they were trusted before, they
 * are afterwards. A change to settings that nobody has trusted does not vouch for the rest.
 */
export async function keepingTrust<Result>(surroundings: Surroundings, change: () => Promise<Result>): Promise<Result> {
  const look = async (): Promise<TrustReview> => await reviewTrust(await openWorkspace(surroundings), surroundings.env);
  const before = await look().catch(() => undefined);
  const result = await change();
  if (before?.isTrusted === true) await trustWritten(surroundings);
  return result;
}

/** Settings that a person's command has just written need no further yes. If that cannot be remembered, they are asked later. */
export async function trustWritten(surroundings: Surroundings): Promise<void> {
  try {
    const review = await reviewTrust(await openWorkspace(surroundings), surroundings.env);
    const areas = review.areas.filter(({ name }) => name === SETTINGS);
    if (!review.isTrusted && review.file !== undefined) await acceptTrust({ ...review, areas });
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
}
