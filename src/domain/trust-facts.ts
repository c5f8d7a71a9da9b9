import { isMapping, type Mapping } from "./mapping.ts";

/** Something that a repository's own files start, or set for the programs that are started. */
export interface TrustFact {
  /** `harnesses.claude.bin`, `gates.test.run`. */
  readonly key: string;
  readonly value: string;
  /** It names the agent's program, or where its requests go: a person must not overlook it. */
  readonly isStrong: boolean;
}

/**
 * Keys that a repository may set without being asked: they start nothing, and send nothing anywhere. A key that is not
 * here needs trust, so a new one does until somebody has thought about it. `*` is a name.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  [
    "harness models specs plan prompts promise git.commit git.maxFile commit limits layouts workflows plugins sprint",
    "harnesses.*.model harnesses.*.smart harnesses.*.fast harnesses.*.models",
    "harnesses.*.preamble harnesses.*.promptBy harnesses.*.output",
    "gates.*.id gates.*.timeout gates.*.retries",
    "hooks.*.id hooks.*.on hooks.*.parallel hooks.*.enabled hooks.*.timeout",
    "verify.protect verify.testFiles verify.tests verify.applyFixes verify.extra verify.packageFirst verify.together",
    "redact.variables redact.forms",
    "verify.reviewer verify.allowUnverified lanes.count lanes.gates lanes.exclusiveGates lanes.keep",
  ].flatMap((keys) => keys.split(" ")),
);

/** Programs of an agent, and variables that lead its requests or the programs themselves elsewhere. */
const STRONG_KEY = /^harnesses\..*\.(?:bin|run)$/;
export const STRONG_VARIABLE = /URL|URI|ENDPOINT|HOST|PROXY|_BASE$|^PATH$|^LD_|^DYLD_|_OPTIONS$|_OPTS$/i;

/** Keys by which people protect themselves, in their own file, for all repositories. */
const GUARDS: ReadonlySet<string> = new Set("limits redact verify commit sandbox processes hooks".split(" "));

/**
 * What a configuration file starts or sets, in the order of its keys; defaults written out are nothing new. `own`: the
 * person's own file. What takes the place of something in it is a fact, too.
 */
export function settingFacts(tree: Mapping, own: Mapping = {}): TrustFact[] {
  const guards = Object.fromEntries(Object.entries(tree).filter(([name]) => GUARDS.has(name)));
  const replaced = replacedFacts(guards, own, []);
  const keys = new Set(replaced.map(({ key }) => key));
  return [...factsBelow(tree, []).filter(({ key }) => !keys.has(key)), ...replaced];
}

function replacedFacts(tree: Mapping, own: Mapping, path: readonly string[]): TrustFact[] {
  return Object.entries(tree).flatMap(([name, value]): TrustFact[] => {
    const before = Object.hasOwn(own, name) ? own[name] : undefined;
    const here = [...path, name];
    if (before === undefined || JSON.stringify(before) === JSON.stringify(value)) return [];
    if (isMapping(value) && isMapping(before)) return replacedFacts(value, before, here);
    // Hooks are told of one by one; only a list without any says nothing else.
    if (Array.isArray(value) && value.length > 0 && value.every(isMapping)) return [];
    // A list of the person's may hold addresses that are secrets.
    const yours = typeof before === "object" ? "your own" : `your own ${textOf(before)}`;
    return [{ key: here.join("."), value: `${textOf(value)} (in place of ${yours})`, isStrong: true }];
  });
}

const textOf = (value: unknown): string =>
  value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value);

interface Step {
  readonly name: string;
  /** A name of the user's, not of a key. */
  readonly isName: boolean;
}

const NAMED = new Set(["harnesses", "gates", "hooks"]);

function factsBelow(value: unknown, path: readonly Step[]): TrustFact[] {
  const pattern = path.map(({ name, isName }) => (isName ? "*" : name)).join(".");
  if (HARMLESS.has(pattern) || value === null || value === undefined) return [];
  const below = (name: string, inner: unknown): TrustFact[] =>
    factsBelow(inner, [...path, { name, isName: NAMED.has(pattern) }]);
  if (isMapping(value)) {
    if (pattern === "hooks.*" && value["enabled"] === false) return [];
    return Object.entries(value).flatMap(([name, inner]) => below(name, inner));
  }
  if (Array.isArray(value) && value.every(isMapping)) {
    return value.flatMap((entry, index) => below(nameOf(entry) ?? String(index + 1), entry));
  }
  // Gates that are discovered need no trust.
  if (pattern === "gates" && value === "auto") return [];
  return [factOf(path, value)];
}

function nameOf({ id, use }: Mapping): string | undefined {
  const name = id ?? use;
  return typeof name === "string" ? name : undefined;
}

function factOf(path: readonly Step[], value: unknown): TrustFact {
  const key = path.map(({ name }) => name).join(".");
  const text = textOf(value);
  const isVariable = path.at(-2)?.name === "env";
  const isRedirected = (isVariable && STRONG_VARIABLE.test(path.at(-1)?.name ?? "")) || text.includes("://");
  return { key, value: text, isStrong: STRONG_KEY.test(key) || (isRedirected && key.startsWith("harnesses.")) };
}

/** A fact that is new, gone, or the same as it was when a person last said yes. */
export interface FactChange extends TrustFact {
  readonly change: "added" | "removed" | "same";
}

/** What has changed since a person said yes; everything is new if nobody ever did. */
export function factChanges(before: readonly TrustFact[], now: readonly TrustFact[]): FactChange[] {
  const gone = groupedBy(before, new Set(now.map(wholeOf)));
  const known = new Set(before.map(wholeOf));
  const changes: FactChange[] = [];
  const tell = (fact: TrustFact, change: FactChange["change"]): void => void changes.push({ ...fact, change });
  const tellGone = (key: string): void => {
    for (const fact of gone.get(key) ?? []) tell(fact, "removed");
    gone.delete(key);
  };
  for (const fact of now) {
    tellGone(fact.key);
    tell(fact, known.has(wholeOf(fact)) ? "same" : "added");
  }
  for (const key of gone.keys()) tellGone(key);
  return changes;
}

const wholeOf = ({ key, value }: TrustFact): string => JSON.stringify([key, value]);

/** Facts by their key, without those that are still there. */
function groupedBy(facts: readonly TrustFact[], without: ReadonlySet<string>): Map<string, TrustFact[]> {
  const grouped = new Map<string, TrustFact[]>();
  for (const fact of facts) {
    if (!without.has(wholeOf(fact))) grouped.set(fact.key, [...(grouped.get(fact.key) ?? []), fact]);
  }
  return grouped;
}
