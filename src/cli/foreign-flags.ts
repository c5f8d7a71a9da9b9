import { RalphError } from "../domain/error.ts";
import type { Input, Option } from "./command.ts";

/** A flag of another Ralph loop. People type it out of habit: it works, or its answer says what does. */
interface ForeignFlag extends Pick<Option, "flags"> {
  /** The commands that take it. */
  readonly of: readonly string[];
  readonly means: (value: string) => Meaning;
}

interface Meaning {
  /** As it is typed here; undefined: nothing has to be typed. */
  readonly here: string | undefined;
  /** Our options that it sets. */
  readonly options?: Input["options"];
  /** Why nothing has to be typed. */
  readonly because?: string;
}

const LOOP = ["run", "step"];
const RUN = ["run"];

const set = (flag: string, option: string, value: string): Meaning => ({
  here: `${flag} ${value}`,
  options: { [option]: value },
});

const harness = (value: string): Meaning => set("--harness", "harness", value === "claude-code" ? "claude" : value);
const iterations = (value: string): Meaning => set("--max-iterations", "maxIterations", value);

const permitted = (): Meaning => ({
  here: undefined,
  because: "the loop always starts agents with all permissions",
});

const unattended = (): Meaning => ({ here: undefined, because: "a run asks nothing" });

const neverUnproven = (flag: string) => (): never => {
  throw new RalphError("usage", `There is no ${flag}: ralphctl never takes a claim for proof`, {
    hint: "Choose the gates in .ralph/config.yaml; with `gates: []` work is done without a check, and stays unverified",
  });
};

/** Hidden: help, completion and reference do not have them. docs/guides/coming-from-another-ralph.md does. */
const FOREIGN: readonly ForeignFlag[] = [
  { flags: "--agent <name>", of: LOOP, means: harness },
  { flags: "--tool <name>", of: LOOP, means: harness },
  { flags: "--permission-posture <posture>", of: LOOP, means: posture },
  { flags: "--allow-all", of: LOOP, means: permitted },
  { flags: "--yolo", of: LOOP, means: permitted },
  { flags: "--dangerously-allow-all", of: LOOP, means: permitted },
  { flags: "--no-interactive", of: LOOP, means: unattended },
  { flags: "--exit-on-error", of: RUN, means: () => set("--error-threshold", "errorThreshold", "1") },
  { flags: "--skip-validation", of: LOOP, means: neverUnproven("--skip-validation") },
  { flags: "--no-verify", of: LOOP, means: neverUnproven("--no-verify") },
  {
    flags: "--continue-module",
    of: RUN,
    means: () => ({ here: "--continue-ready", options: { continueReady: true } }),
  },
  { flags: "-o, --once", of: RUN, means: () => iterations("1") },
  { flags: "--limit <n>", of: RUN, means: iterations },
  { flags: "--max-retries <n>", of: LOOP, means: retries },
];

function posture(value: string): Meaning {
  if (value === "allow-all") return permitted();
  throw new RalphError("usage", `--permission-posture ${JSON.stringify(value)} is not possible in a loop`, {
    hint: "Nobody is there to be asked. To work together with the agent: ralphctl step",
  });
}

/** An attempt more than retries. */
function retries(value: string): Meaning {
  if (/^\d{1,8}$/.test(value)) return set("--max-attempts", "maxAttempts", String(Number(value) + 1));
  throw new RalphError("usage", `--max-retries must be a whole number, not ${JSON.stringify(value)}`, {
    hint: "Write --max-attempts 4 for three retries",
  });
}

export const foreignFlagsOf = (command: string): readonly ForeignFlag[] =>
  FOREIGN.filter(({ of }) => of.includes(command));

/** The options with those that foreign flags stand for, and a sentence for each that was typed. */
export function translateFlags(
  command: string,
  options: Input["options"],
): { readonly options: Input["options"]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const all = { ...options };
  for (const flag of foreignFlagsOf(command)) {
    const { name, typed, value } = given(flag, options);
    if (value === undefined) continue;
    const meaning = flag.means(value);
    for (const [option, setting] of Object.entries(meaning.options ?? {})) {
      if (all[option] !== undefined && all[option] !== setting) throw twice(name, meaning);
      all[option] = setting;
    }
    notes.push(
      meaning.here === undefined
        ? `${typed} is not needed here: ${meaning.because}`
        : `${typed} is ${meaning.here} here`,
    );
  }
  return { options: all, notes };
}

const twice = (name: string, { here = "" }: Meaning): RalphError =>
  new RalphError("usage", `${name} and ${here.split(" ")[0]} cannot be used together: they mean the same`, {
    hint: `Leave out ${name}`,
  });

/** The value as commander stores it: a `--no-` flag is true unless it is given. */
function given({ flags }: ForeignFlag, options: Input["options"]) {
  const name = /--[\w-]+/.exec(flags)![0];
  const key = name.replace(/^--(?:no-)?/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const found = options[key];
  const isGiven = name.startsWith("--no-") ? found === false : found !== undefined;
  const value = isGiven ? String(found) : undefined;
  return { name, value, typed: typeof found === "string" ? `${name} ${found}` : name };
}
