import type { RunRequest } from "../app/run/run-request.ts";
import { RalphError } from "../domain/error.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { shellWord } from "../domain/shell-word.ts";
import { type Input, listOption, textOption } from "./command.ts";
import { scopeChoice } from "./flags.ts";
import { RUN_MODES } from "./run-flags.ts";

/** The request of a command line. Throws where it contradicts itself. */
export function runRequest(input: Input): RunRequest {
  const { mode, words } = modeAndWords(input.args);
  const file = given(input, "file", "--file");
  const tasks = listOption(input, "task");
  checkOneSource({ "A description": words, "--file": file, "--task": tasks });
  if (mode === "plan" && tasks !== undefined) {
    throw new RalphError("usage", "--task cannot be used in plan mode, which assigns no task", {
      hint: "Run ralphctl run build --task ID",
    });
  }
  if (input.options["continueReady"] === true && input.options["fleet"] === true) {
    throw new RalphError("usage", "--continue-ready is for one machine, and cannot be used with --fleet", {
      hint: "Leave one of them out",
    });
  }
  if (input.options["continueReady"] === true) checkContinue({ ...scopeChoice(input), words, file, tasks, mode });
  for (const [option, flag] of MODEL_FLAGS) given(input, option, flag);
  if (input.options["quiet"] === true && input.options["verbose"] === true) {
    throw new RalphError("usage", "--quiet and --verbose cannot be used together", { hint: "Give one of them" });
  }
  return {
    mode,
    words,
    file,
    tasks,
    scope: scopeChoice(input),
    validationCommand: given(input, "validationCommand", "--validation-command"),
    strict: input.options["strict"] === true,
    ...(input.options["fleet"] === true && { isFleet: true }),
    acceptLook: input.options["acceptLook"] === true,
  };
}

/** `--continue-ready` chooses the changes, so nothing else may choose the work; a module may narrow it. */
function checkContinue(given: Partial<RunRequest> & RunRequest["scope"]): void {
  const named: readonly [string, unknown][] = [
    ["--project", given.project],
    ["--change", given.change],
    ["--sprint", given.sprint],
    ["a description", given.words],
    ["--file", given.file],
    ["--task", given.tasks],
    ["plan mode", given.mode === "plan" ? given.mode : undefined],
  ];
  const other = named.find(([, value]) => value !== undefined)?.[0];
  if (other === undefined) return;
  throw new RalphError(
    "usage",
    `--continue-ready and ${other} cannot be used together: --continue-ready chooses the changes`,
    { hint: "Remove one of them; --module is allowed" },
  );
}

const MODEL_FLAGS = [
  ["model", "--model"],
  ["smartModel", "--smart-model"],
  ["fastModel", "--fast-model"],
] as const;

/** A single word close to a mode is a typo; otherwise an agent would start on it. */
function refuseMistypedMode(word: string | undefined): void {
  if (word === undefined || !/^[a-z]+$/i.test(word)) return;
  const meant = closestMatch(word, RUN_MODES);
  if (meant === undefined) return;
  throw new RalphError("usage", `Unknown mode ${JSON.stringify(word)}`, {
    hint: `Did you mean ralphctl run ${meant}? To describe the work, use more words: ralphctl run build "${word} …"`,
  });
}

/** The first word is a mode only if it matches exactly; anything else describes the work, in one argument. */
function modeAndWords(args: readonly string[]): Pick<RunRequest, "mode" | "words"> {
  const [first] = args;
  const mode = RUN_MODES.find((name) => name === first);
  const said = mode === undefined ? args : args.slice(1);
  if (said.length > 1) {
    const whole = [...(mode === undefined ? [] : [mode]), quoted(said.join(" "))].join(" ");
    throw new RalphError("usage", `The description of the work is one argument, and these are ${said.length}`, {
      hint: `Quote the whole description: ralphctl run ${whole}`,
    });
  }
  const [words] = said;
  refuseMistypedMode(mode === undefined ? first : undefined);
  if (words?.trim() === "") {
    throw new RalphError("usage", "The description of the work is blank", {
      hint: "Leave it out to work on the tasks of the scope",
    });
  }
  return { mode: mode ?? "auto", words };
}

/** As people quote sentences, unless the shell would read something else. */
const quoted = (text: string): string => (/["$`\\!]/.test(text) ? shellWord(text) : `"${text}"`);

function checkOneSource(sources: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(sources).filter((name) => sources[name] !== undefined);
  if (names.length < 2) return;
  throw new RalphError("usage", `${names.join(" and ")} cannot be used together`, {
    hint: `Leave ${names.length > 2 ? "all but one" : "one of them"} out`,
  });
}

/** The value of a flag that must not be blank. */
function given(input: Input, option: string, flag: string): string | undefined {
  const value = textOption(input, option);
  if (value === undefined || value.trim() !== "") return value;
  throw new RalphError("usage", `${flag} is blank`, { hint: `Give it a value, or remove ${flag}` });
}
