import { keptGates, type PinnedGate } from "../domain/gate.ts";
import { byFile } from "./discover/by-file.ts";
import { cargo } from "./discover/cargo.ts";
import { readCi } from "./discover/ci.ts";
import { deno, denoTasksIn } from "./discover/deno.ts";
import { go } from "./discover/go.ts";
import { ito } from "./discover/ito.ts";
import { make, makeDefault, readMake } from "./discover/make.ts";
import { node, writtenScripts } from "./discover/node.ts";
import { inCiOrder, quickFirst } from "./discover/order.ts";
import { gatesOfPart, partFolders, partLook, setupOfParts } from "./discover/parts.ts";
import { composerTasks, php } from "./discover/php.ts";
import { neededPrograms } from "./discover/programs.ts";
import { python, toxTasks } from "./discover/python.ts";
import { createReach, type Written } from "./discover/reach.ts";
import { ruby } from "./discover/ruby.ts";
import { checkName } from "./discover/same-check.ts";
import { setupOf, type SetupCommand } from "./discover/setup.ts";
import { withoutTwice } from "./discover/twice.ts";
import { type CiCommand, uncoveredCommands } from "./discover/uncovered.ts";
import { folderLook } from "./look.ts";
import type { Found, LeftOutCheck, Look, Project, Source } from "./source.ts";

/** The sources of gates, in order. A new kind of project is one file and its line here. */
const SOURCES: readonly Source[] = [ito, node, make, deno, cargo, go, python, byFile, php, ruby];
/** Sources whose gates are what the project's people wrote themselves. */
const WRITTEN: ReadonlySet<Source> = new Set([ito, node, make]);

/** What a project says about its checks. */
export interface Discovery extends Required<Found> {
  /** In the order in which they run. One that another runs too names it as `within`. */
  readonly gates: readonly PinnedGate[];
  readonly leftOut: readonly LeftOutCheck[];
  /** The commands of CI that no gate covers. */
  readonly uncovered: readonly CiCommand[];
  /** Programs that CI starts beside its jobs, such as a database. */
  readonly services: readonly string[];
  readonly setup: SetupCommand | undefined;
  /** Programs that have to be on the PATH. */
  readonly programs: readonly string[];
}

/** P-16 `gates: auto`: what the project itself says is its check. */
export const discoverGates = async (folder: string): Promise<Discovery> => await discoverIn(folderLook(folder));

/** The same in any set of files. If its top has no check, the projects in its folders are asked. */
export async function discoverIn(look: Look): Promise<Discovery> {
  const remembered = withMemory(look);
  const whole = await discoverWith(remembered);
  return whole.discovery.gates.length > 0 ? whole.discovery : await discoverParts(remembered, whole);
}

async function discoverParts(look: Look, { discovery, project, scripts }: Discovered): Promise<Discovery> {
  const folders = await partFolders(look);
  const found = await Promise.all(
    folders.map(async (folder) => [folder, (await discoverWith(partLook(look, folder), "part")).discovery] as const),
  );
  const parts = found.filter(([, { gates }]) => gates.length > 0);
  if (parts.length === 0) return discovery;
  const gates = distinct(parts.flatMap(([folder, part]) => gatesOfPart(folder, part.gates)));
  const setup = discovery.setup ?? setupOfParts(parts);
  return {
    ...discovery,
    gates,
    leftOut: parts.flatMap(([folder, part]) =>
      part.leftOut.map(({ what, at, why }) => ({ what, at: `${folder}/${at}`, why })),
    ),
    warnings: [...discovery.warnings, ...parts.flatMap(([, { warnings }]) => warnings)],
    uncovered: uncoveredCommands(project, gates, scripts),
    setup,
    programs: programsFor(setup, gates),
  };
}

const programsFor = (setup: SetupCommand | undefined, gates: readonly PinnedGate[]): string[] =>
  neededPrograms([...(setup === undefined ? [] : [setup.command]), ...keptGates(gates).map(({ run }) => run)]);

interface Discovered {
  readonly discovery: Discovery;
  readonly project: Project;
  readonly scripts: ReadonlyMap<string, string>;
}

/** With what the sources knew. */
export async function discoverWith(look: Look, of: "whole" | "part" = "whole"): Promise<Discovered> {
  const remembered = withMemory(look);
  const { scripts, members } = await writtenScripts(remembered);
  const written: Written = {
    ...scripts,
    make: (await readMake(remembered))?.make,
    tasks: new Map([
      ...named("composer", composerTasks((await remembered.text("composer.json")) ?? "")),
      ...named("deno task", await denoTasksIn(remembered)),
      ...(await toxTasks(remembered)),
    ]),
  };
  const project: Project = {
    look: remembered,
    names: await remembered.names(""),
    ci: await readCi(remembered),
    members,
    reach: createReach(written),
  };
  const found = await Promise.all(SOURCES.map((source) => source(project)));
  const hasNone = found.every(({ gates }) => gates.length === 0);
  // What make does without a word may be anything: it is a check only of a project as a whole.
  const all = hasNone && of === "whole" ? [...found, await makeDefault(project)] : found;
  const own = new Set(SOURCES.flatMap((source, index) => (WRITTEN.has(source) ? found[index]!.gates : [])));
  const inOrder = quickFirst(distinct(all.flatMap((one) => one.gates)), own);
  const marked = withoutTwice(inOrder, { own, reach: project.reach, scripts: written.scripts });
  const gates = inCiOrder(marked, project, written);
  const chosen = keptGates(gates);
  const nameOf = (run: string): string => checkName(project.reach(run)[0] ?? NO_COMMAND, written.scripts);
  const done = new Set(chosen.flatMap(({ run }) => project.reach(run).map((one) => checkName(one, written.scripts))));
  const setup = await setupOf(remembered);
  const discovery: Discovery = {
    gates,
    leftOut: all.flatMap(({ leftOut = [] }) => leftOut).filter(({ what }) => isTask(what) || !done.has(nameOf(what))),
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    uncovered: uncoveredCommands(project, gates, written.scripts),
    services: [...new Set(project.ci.flatMap(({ services }) => services))],
    setup,
    programs: programsFor(setup, gates),
  };
  return { discovery, project, scripts: written.scripts };
}

/** A script or a target, which is left out for what it does. Of a tool it may be that another gate runs it. */
const isTask = (run: string): boolean => /^(?:CI=1 )?(?:npm|npx|pnpm|yarn|bun|composer|deno|make)\b/.test(run);

const NO_COMMAND = { words: [], folder: "" };

const named = (start: string, tasks: ReadonlyMap<string, string>): [string, string][] =>
  [...tasks].map(([name, text]) => [`${start} ${name}`, text]);

/** Several sources read the same files. */
function withMemory(look: Look): Look {
  const texts = new Map<string, Promise<string | undefined>>();
  const text = (path: string): Promise<string | undefined> => {
    const known = texts.get(path) ?? look.text(path);
    texts.set(path, known);
    return known;
  };
  return { ...look, text };
}

/** The first gate of each id. */
const distinct = (gates: readonly PinnedGate[]): PinnedGate[] =>
  gates.filter(({ id }, index) => gates.findIndex((gate) => gate.id === id) === index);
