import type { PinnedGate } from "../../domain/gate.ts";
import type { Found, LeftOutCheck } from "../source.ts";
import type { Reach, Reached } from "./reach.ts";
import { asCheck, changedWord, forAll, watchingWord, writingWord } from "./tool-flags.ts";

/** Names of scripts that check the same thing, the usual one first. Families are in the order in which gates run. */
const FAMILIES: readonly (readonly string[])[] = [
  // cheap, and its errors explain those of all others
  ["typecheck", "type-check", "check:types", "check-types", "types:check", "tsc", "test:types", "test-types"],
  ["lint", "lint:check", "check:lint", "lint:ci", "ci:lint", "lint-check", "eslint", "lint:js"],
  [
    "format:check",
    "check:format",
    "format-check",
    "check-format",
    "fmt:check",
    "check:fmt",
    "prettier:check",
    "check:prettier",
    "format:ci",
    "lint:format",
    "format",
    "fmt",
    "cs:check",
    "cs-check",
  ],
  // often all of the others
  ["check", "check:ci", "ci:check", "check:all", "analyse", "analyze", "phpstan", "stan"],
  [
    "test",
    "tests",
    "test:ci",
    "ci:test",
    "test-ci",
    "test:run",
    "test:once",
    "test:all",
    "test:unit",
    "test-unit",
    "unit",
    "phpunit",
  ],
  // last, because it takes long; before the tests where these need it
  ["build", "build:ci", "compile"],
];

/** People run these to change files: without a checking sibling they are no gate. */
const FORMATS = /^(?:format|fmt)$/;

export interface ScriptSet {
  /** The file with the scripts. */
  readonly file: string;
  readonly scripts: ReadonlyMap<string, string>;
  /** As a gate starts a script. */
  readonly run: (name: string) => string;
  /** As a gate starts a program that the project has installed; undefined: it cannot. */
  readonly exec?: (command: string) => string;
  readonly idOf: (name: string) => string;
  readonly definition: (name: string) => string;
  readonly reach: Reach;
  /** The gate for a family that has no script here. */
  readonly elsewhere?: (names: readonly string[]) => Found | undefined;
}

/** The scripts that check something. Those of a family after the first are found too, and stand behind it. */
export function scriptGates(set: ScriptSet): Required<Pick<Found, "gates" | "leftOut">> {
  const gates: PinnedGate[] = [];
  const leftOut: LeftOutCheck[] = [];
  for (const family of FAMILIES) {
    const there = family.filter((name) => isCheck(set.scripts.get(name)));
    const other = there.length === 0 ? set.elsewhere?.(family) : undefined;
    gates.push(...(other?.gates ?? []));
    leftOut.push(...(other?.leftOut ?? []));
    const faults = there.map((name) => ({ name, why: faultOf(set, name) }));
    const good = faults.filter(({ why }) => why === undefined).map(({ name }) => name);
    const [first] = good;
    const bad = faults.filter(
      ({ name, why }) => why !== undefined && (first === undefined || there.indexOf(name) < there.indexOf(first)),
    );
    const derived = bad.flatMap(({ name }) => derivedGate(set, name) ?? []).slice(0, 1);
    const ids = new Set<string>();
    for (const gate of [...good.map((name) => gateOf(set, name)), ...derived]) {
      if (ids.has(gate.id)) continue;
      const [main] = ids;
      gates.push(main === undefined ? gate : { ...gate, instead: main });
      ids.add(gate.id);
    }
    const [main] = ids;
    const instead = main === undefined ? "" : `; ${first ?? derived[0]?.run} runs instead`;
    leftOut.push(
      ...bad.map(({ name, why }) => ({
        what: set.run(name),
        at: `${set.file} (scripts.${name})`,
        why: `${why}${instead}`,
      })),
    );
  }
  return { gates, leftOut };
}

const gateOf = ({ idOf, run, definition, file }: ScriptSet, name: string): PinnedGate => ({
  id: idOf(name),
  run: run(name),
  script: definition(name),
  at: `${file} (scripts.${name})`,
});

/** The placeholder of `npm init` is no check. */
const isCheck = (script: string | undefined): boolean =>
  script !== undefined &&
  script.trim() !== "" &&
  !/^echo\s+\\?"Error: no test specified\\?"\s*&&\s*exit 1$/.test(script.trim());

/** Why a script is no gate. */
function faultOf({ run, reach }: ScriptSet, name: string): string | undefined {
  const commands = reach(run(name));
  return firstFault(commands);
}

/** Why commands do not only check. */
export function firstFault(commands: readonly Reached[]): string | undefined {
  const watch = commands.map(({ words }) => watchingWord(words)).find((word) => word !== undefined);
  if (watch !== undefined) return `it does not end by itself (${watch})`;
  const write = commands.map(({ words }) => writingWord(words)).find((word) => word !== undefined);
  if (write !== undefined) return `it changes files (${write})`;
  const some = commands.map(({ words }) => changedWord(words)).find((word) => word !== undefined);
  return some === undefined ? undefined : `it checks only what git says is changed (${some})`;
}

/** A script of known tools that write or look at changes only, with their own flags for a check of everything. */
function derivedGate(
  { scripts, exec, idOf, file, definition, reach }: ScriptSet,
  name: string,
): PinnedGate | undefined {
  const text = scripts.get(name) ?? "";
  const isHooked = scripts.has(`pre${name}`) || scripts.has(`post${name}`);
  if (exec === undefined || FORMATS.test(name) || isHooked || /[;|$`'"()<>\n]|(?<!&)&(?!&)/.test(text))
    return undefined;
  const parts = text.split("&&").map((part) => {
    const [command, ...more] = reach(part);
    const isOne = command?.isLast === true && more.every(({ depth }) => depth > 0);
    if (!isOne || /^[A-Z_]\w*=/.test(part.trim())) return undefined;
    const { words } = command;
    const all = changedWord(words) === undefined ? words.join(" ") : forAll(words);
    return all === undefined || writingWord(words) === undefined ? all : asCheck(all, words);
  });
  if (parts.some((part) => part === undefined || firstFault(reach(part)) !== undefined)) return undefined;
  const run = parts.map((part) => exec(part!)).join(" && ");
  return { id: idOf(name), run, script: definition(name), at: `${file} (scripts.${name})` };
}
