import type { AboutGates, ShownGate, ShownGates, ShownPath } from "../app/show-gates.ts";
import { printableLine } from "../domain/printable.ts";
import { aligned, pageOf, part } from "./page-parts.ts";
import { plural, wrapped } from "./run-text.ts";

/** So many paths of each kind are shown; `--json` has all. */
const MOST = 20;
const WIDTH = 62;

/** A page about gates: the command of each, and what decides. */
export function gatesText({ gates, testFiles, about }: ShownGates): string {
  const others = about === undefined ? [] : aboutParts(about);
  if (gates.length === 0) return pageOf([["No gates: see ralphctl help gates"], ...others]);
  return pageOf([
    ...gates.map((gate) => [printableLine(`${gate.id}: ${gate.run}`), ...aligned(factsOf(gate))]),
    ...others,
    ["Test files", ...wrapped(testFiles.join(", "), WIDTH + 12).map((line) => `  ${printableLine(line)}`)],
  ]);
}

const aboutParts = ({ leftOut, uncovered, services, setup, programs }: AboutGates): string[][] => [
  listed(
    "Left out",
    leftOut.map(({ what, at, why }) => [`${what}: ${why}`, at]),
  ),
  listed(
    "CI runs, and no gate does",
    uncovered.map(({ run, at }) => [run, at]),
  ),
  part("CI starts beside its jobs", services, printableLine),
  part("Set-up of a fresh checkout", setup === undefined ? [] : [setup.command], printableLine),
  part(
    "Programs that are not on the PATH",
    programs.filter(({ isThere }) => !isThere),
    ({ name, fix }) => printableLine(`${name}: ${fix}`),
  ),
];

const listed = (name: string, rows: readonly (readonly [what: string, at: string])[]): string[] =>
  part(name, some(rows.map(([what, at]) => (at === "" ? what : `${what} (${at})`))), printableLine);

const factsOf = (gate: ShownGate) =>
  [
    ["Found in", gate.at],
    ["Approved by", approvalOf(gate)],
    ["Flaky", flakyText(gate.flaky)],
    ["Definition", pathLines(gate.decides.filter(({ isDefinition }) => isDefinition))],
    ["Configuration", pathLines(gate.decides.filter(({ isDefinition }) => !isDefinition))],
    ["By name", gate.byName.length === 0 ? undefined : wrapped(gate.byName.join(", "), WIDTH)],
    ["Not followed", gate.notFollowed.length === 0 ? undefined : some(gate.notFollowed)],
  ] as const;

/** `failed and passed on the same files, 3 times`; undefined if it never did. */
export const flakyText = (times: number): string | undefined =>
  times === 0 ? undefined : `failed and passed on the same files, ${plural(times, "time")}`;

function approvalOf({ id, source, isAgents, isApproved }: ShownGate): string {
  if (isAgents) return `nobody: an agent wrote it; ralphctl gates approve ${id}`;
  if (isApproved) return "a person; an agent wrote it";
  if (source === "configuration") return "the configuration";
  return source === "task" ? "the task" : "the files of the workspace";
}

function pathLines(paths: readonly ShownPath[]): readonly string[] | undefined {
  const lines = paths
    .filter(({ isThere }) => isThere)
    .map(({ path, keys, there, why }) => {
      const parts = keys === undefined ? "" : ` (${there.join(", ")})`;
      return `${path}${parts}: ${why}`;
    });
  return lines.length === 0 ? undefined : some(lines);
}

const some = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST ? lines : [...lines.slice(0, MOST), `and ${lines.length - MOST} more; --json names all`];

/** The same for programs, with paths that would decide if they were there. */
export const gatesJson = ({ gates, testFiles, about }: ShownGates): unknown => ({
  version: 1,
  gates: gates.map(({ id, kind, run, source, at, isAgents, isApproved, flaky, decides, byName, notFollowed }) => ({
    id,
    kind,
    command: run,
    source,
    at: at ?? null,
    isAgents,
    isApproved,
    flaky,
    decides: decides.map(({ path, keys, why, isDefinition, isTest = false, isThere }) => ({
      path,
      keys: keys ?? null,
      why,
      kind: isTest ? "test" : isDefinition ? "definition" : "configuration",
      isThere,
    })),
    byName,
    notFollowed,
  })),
  testFiles,
  ...(about !== undefined && {
    leftOut: about.leftOut,
    uncovered: about.uncovered,
    services: about.services,
    setup: about.setup ?? null,
    programs: about.programs,
  }),
});
