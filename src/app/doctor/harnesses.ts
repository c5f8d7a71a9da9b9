import { basename, dirname } from "node:path";
import type { OwnTexts } from "../../harness/harness.ts";
import { programsOn } from "../../system/process/programs.ts";
import { askVersion, versionNote } from "../harness-version.ts";
import { ownTextsInLanes } from "../own-texts.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import { type AskedHarness, checkHarness, type ReadyHarness } from "../run/check-harnesses.ts";
import { eventsIn, runLogs } from "../run/run-events.ts";
import type { Surroundings, Workspace } from "../workspace.ts";
import { type DoctorOptions, type Finding, ok, refused, warning } from "./finding.ts";
import { probeHarness, type ProbeHost, probeServers } from "./probe.ts";

interface About extends DoctorOptions {
  readonly env: Surroundings["env"];
}

/** Checks whether the agents can start, and reports their warnings. */
export async function harnessFindings(workspace: Workspace, about: About): Promise<Finding[]> {
  // In parallel: most of the time goes into starting programs.
  const each = await Promise.all(askedFor(workspace).map(async (asked) => await oneHarness(workspace, asked, about)));
  return [...each.flat(), ...(await unknownOutput(workspace))];
}

/** Every harness that a run would start, once. */
function askedFor(workspace: Workspace): AskedHarness[] {
  const { harness, verify } = workspace.config;
  const keys = new Map(harness.map((name) => [name, "harness"]));
  if (verify.reviewer !== null && !keys.has(verify.reviewer)) keys.set(verify.reviewer, "verify.reviewer");
  return [...keys].map(([name, key]) => ({ name, key }));
}

async function oneHarness(workspace: Workspace, asked: AskedHarness, about: About): Promise<Finding[]> {
  const missing = await agentMissing(workspace, asked, about);
  if (missing !== undefined) return [missing];
  let ready: ReadyHarness;
  try {
    ready = await checkHarness(workspace, asked, about);
  } catch (error) {
    return [refused(CHECK, error)];
  }
  return [
    await versionFinding(ready, { ...about, root: workspace.root }),
    ...(await warnings(workspace, ready, about)),
    ...(about.probe === undefined ? [] : await probed(workspace, ready, { ...about.probe, isRoot: about.isRoot })),
  ];
}

const CHECK = "harness";

/** At the same time: an agent waits for its servers, too. */
async function probed(workspace: Workspace, ready: ReadyHarness, host: ProbeHost): Promise<Finding[]> {
  return (await Promise.all([probeServers(workspace, ready, host), probeHarness(ready, host)])).flat();
}

async function warnings(workspace: Workspace, ready: ReadyHarness, { env, isRoot }: About): Promise<Finding[]> {
  const { harness, settings } = ready;
  const own = await ownTextsInLanes(workspace, ready, env);
  const ofRoot = isRoot ? harness.facts.warning?.({ isRoot, own: {}, settings }) : undefined;
  const ofFiles = harness.facts.warning?.({ isRoot: false, own, settings });
  return [
    ...(ofRoot === undefined ? [] : [warned(ofRoot, "Run ralphctl as another user to avoid this")]),
    ...(ofFiles === undefined ? [] : [warned(ofFiles, "Read about your own set-up in docs/guides/harnesses.md")]),
    ...(harness.facts.program === "claude" ? repositoryHooks(own) : []),
  ];
}

/** A harness for many agents that is not told which: those on the PATH are named. */
async function agentMissing(
  { config, harness }: Workspace,
  { name }: AskedHarness,
  { env }: About,
): Promise<Finding | undefined> {
  const { bin, run } = harness(name);
  const known = knownHarnesses(config);
  const agents = Object.hasOwn(known, name) ? known[name]!.facts.agents : undefined;
  if (agents === undefined || bin !== null || run !== null) return undefined;
  const there = await programsOn(
    env["PATH"] ?? "",
    agents.map(({ program }) => program),
  );
  const found = agents.filter(({ program }) => there.includes(program));
  const list = (found.length === 0 ? agents : found).map((agent) => JSON.stringify(agent.run)).join(", ");
  const which = found.length === 0 ? "the command of an agent that you have, such as" : "one that is on your PATH";
  return {
    level: "problem",
    check: CHECK,
    message: `The harness ${name} has no agent to start`,
    fix: `Set harnesses.${name}.run to ${which}: ${list}`,
  };
}

const warned = (message: string, fix: string): Finding => warning(CHECK, message, fix);

const VERSION_MS = 15_000;

/** Asks the agent for its version, the only program started without `--probe`. */
async function versionFinding(
  { name, harness: { facts }, settings }: ReadyHarness,
  { env, probe, root }: About & { readonly root: string },
): Promise<Finding> {
  const { program, package: ofNpm, title, testedVersion } = facts;
  // Of a harness for many, the title is that of the agent if it is known.
  const about = facts.agents?.some((agent) => agent.title === title) === true ? ` (${title})` : "";
  if (program === undefined) return ok(CHECK, `The harness ${name} can be started${about}`);
  const isTheirs = settings.bin !== null || settings.env["PATH"] !== undefined;
  // A program named by the repository's configuration may be anything (W-06).
  if (isTheirs && probe === undefined) return ok(CHECK, `${title} can be started; --probe checks its version`);
  const file = settings.bin ?? program;
  const version = await askVersion(file, {
    cwd: root,
    env: { ...env, ...settings.env },
    timeoutMs: VERSION_MS,
    signal: probe?.stop,
  });
  if (version === undefined) {
    return warned(`${title} does not report its version`, `Check that ${file} --version answers`);
  }
  const note = versionNote(facts, version);
  if (note?.kind === "older") {
    const fix = ofNpm === undefined ? `Install a newer ${program}` : `Run npm install --global ${ofNpm}@latest`;
    return warned(note.text, fix);
  }
  if (note?.kind === "newer") return warned(note.text, "Look for a newer ralphctl if sessions fail");
  return ok(CHECK, `${title} ${version} is installed (tested with ${testedVersion})`);
}

/** Agents change their output: if most of it is unknown, claims and costs may be missed. */
async function unknownOutput({ root }: Workspace): Promise<Finding[]> {
  const file = (await runLogs(root)).at(-1);
  if (file === undefined) return [];
  const newest = basename(dirname(file));
  let harness = "the agent";
  let found: string | undefined;
  for await (const { event } of eventsIn(file)) {
    if (event.type === "iteration.started") ({ harness } = event);
    // Its command is the name of its harness.
    if (event.type === "gate.started" && event.kind === "reviewer") harness = event.command;
    if (event.type !== "agent.unknown" || event.lines * 2 <= event.of) continue;
    found = `ralphctl did not understand ${event.lines} of ${event.of} lines that ${harness} printed in iteration ${event.iteration} of ${newest}`;
  }
  if (found === undefined) return [];
  return [warned(found, "Use the tested version that ralphctl doctor names, or a newer ralphctl")];
}

/** The user's own hooks do not run in a session; those of the repository do. */
function repositoryHooks(own: OwnTexts): Finding[] {
  const files = { project: ".claude/settings.json", local: ".claude/settings.local.json" };
  return Object.entries(files).flatMap(([name, path]) =>
    /"hooks"\s*:\s*\{\s*"/.test(own[name] ?? "")
      ? warned(
          `The hooks in ${path} run in every session of Claude Code`,
          "Check that they work without a person at the terminal",
        )
      : [],
  );
}
