import type { PinnedGate } from "../../domain/gate.ts";
import { type MakeFile, readMakeFile } from "../resolve/make-file.ts";
import { type Found, type LeftOutCheck, type Look, NOTHING, type Project, type Source } from "../source.ts";
import { defaultTarget, type Reached } from "./reach.ts";
import { firstFault } from "./scripts.ts";

/** In the order in which GNU make looks for them. */
const MAKE_FILES = ["GNUmakefile", "makefile", "Makefile"];

/** Targets that check the same thing, the usual one first. */
const FAMILIES: readonly (readonly string[])[] = [
  ["typecheck", "type-check", "check-types", "mypy", "typing"],
  ["lint", "lint-check", "check-lint", "vet"],
  ["format-check", "check-format", "fmt-check", "check-fmt", "fmtcheck"],
  // GNU's name for the tests, and often all checks
  ["check", "test"],
];

/** The make file of the top folder. */
export async function readMake(
  look: Look,
): Promise<{ readonly file: string; readonly make: MakeFile; readonly text: string } | undefined> {
  for (const file of MAKE_FILES) {
    const text = await look.text(file);
    if (text !== undefined) return { file, make: readMakeFile(text), text };
  }
  return undefined;
}

/** `make check`, or else `make test`, with the targets that people keep beside it. */
export const make: Source = async (project): Promise<Found> => {
  const read = await readMake(project.look);
  if (read === undefined) return NOTHING;
  const gates: PinnedGate[] = [];
  const leftOut: LeftOutCheck[] = [];
  for (const family of FAMILIES) {
    for (const target of family.filter((name) => rulesFor(read.text, name) !== undefined)) {
      const at = `${read.file} (${target})`;
      const why = firstFault(project.reach(`make ${target}`));
      const main = gates.find(({ id }) => family.includes(id.slice("make-".length)));
      if (why !== undefined) leftOut.push({ what: `make ${target}`, at, why });
      else
        gates.push({
          ...gateFor(target, { ...read, at }),
          ...(isSaidBy(project, target, main) && { instead: main!.id }),
        });
    }
  }
  return { gates, leftOut };
};

/** A target that runs tests is not said by one that runs none: some call their linters `check`. */
function isSaidBy({ reach }: Project, target: string, main: PinnedGate | undefined): boolean {
  if (main === undefined) return false;
  const has = (command: string): boolean => reach(command).some(isTest);
  return !has(`make ${target}`) || has(main.run) || reach(main.run).length < 2;
}

const RUNNERS =
  /^(?:pytest|unittest|go test|cargo (?:test|nextest)|vitest|jest|mocha|ava|tap|node --test|mix test|rspec|rake (?:test|spec)|phpunit|pest|ctest|dotnet test|deno test|bun test|swift test|zig build test|tox|nox|mvnw?|gradlew?|(?:npm|pnpm|yarn)(?: run)? test)(?: |$)/;
const isTest = ({ words }: Reached): boolean => RUNNERS.test(words.join(" "));

/** For a project of which nothing else is known: what its people get when they type `make`. */
export const makeDefault: Source = async ({ look, reach }): Promise<Found> => {
  const read = await readMake(look);
  const target = read && defaultTarget(read.make);
  if (read === undefined || target === undefined || rulesFor(read.text, target) === undefined) return NOTHING;
  const at = `${read.file} (${target})`;
  const why = NO_CHECK.test(target) ? "its name says that it checks nothing" : firstFault(reach("make"));
  if (why !== undefined) return { gates: [], leftOut: [{ what: "make", at, why }] };
  return { gates: [{ id: "make", run: "CI=1 make", script: rulesFor(read.text, target), at }] };
};

const NO_CHECK =
  /^(?:help|usage|install|run|start|serve|dev|up|deploy|release|publish|clean|setup|deps|list|default-help|watch|shell|init)/;

const gateFor = (target: string, { text, at }: { readonly text: string; readonly at: string }): PinnedGate => ({
  id: `make-${target}`,
  run: `CI=1 make ${target}`,
  script: rulesFor(text, target),
  at,
});

/** The rules that make a target, each with its recipe; undefined when there is none. */
function rulesFor(text: string, target: string): string | undefined {
  const rules: string[] = [];
  let isInside = false;
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (line.startsWith("\t")) {
      if (isInside) rules.push(line);
      continue;
    }
    if (line.trim() === "" || line.startsWith("#")) continue;
    const names = /^([^\s:=#][^:=#]*)::?(?![:=])/.exec(line)?.[1]?.trim().split(/\s+/) ?? [];
    isInside = names.includes(target);
    if (isInside) rules.push(line);
  }
  return rules.length > 0 ? rules.join("\n") : undefined;
}
