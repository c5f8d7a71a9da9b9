import { resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { PROMPT_VARIABLE } from "../harness/harness.ts";
import { readScript } from "../domain/read-script.ts";
import {
  chooseSession,
  fillScript,
  type Script,
  type ScriptCircumstances,
  type ScriptedEnd,
  type ScriptStep,
  type StepName,
  type StepValues,
} from "../domain/script.ts";
import { appendText, removeAll, writeOnce } from "../system/folder.ts";
import { git } from "../system/git/git.ts";
import {
  printError,
  killSelf,
  hang,
  ignoreSignals,
  pause,
  print,
  runScriptCommand,
} from "../system/process/scripted-process.ts";
import { readTextFile } from "../system/text-file.ts";
import { readYaml } from "../system/yaml-text.ts";

/** Where a scripted session plays. */
export interface ScriptedPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the prompt from standard input; in an attended session a variable names its file instead. */
  readonly readInput: () => Promise<string>;
}

/** Plays the matching session of a script like a real agent, and returns the exit code. */
export async function playScript(path: string, place: ScriptedPlace): Promise<number> {
  const script = await loadScript(resolve(place.cwd, path), path);
  const file = place.env[PROMPT_VARIABLE];
  const prompt = file === undefined ? await place.readInput() : await readPrompt(file);
  const say = file === undefined ? sayLine : sayPlainly;
  const about: ScriptCircumstances = {
    task: place.env["RALPHCTL_TASK"] ?? "",
    iteration: Math.max(1, Number(place.env["RALPHCTL_ITERATION"]) || 1),
    prompt,
  };
  const session = chooseSession(script, about);
  if (session === undefined) {
    throw new RalphError("data", `${path} has no session for iteration ${about.iteration} and task "${about.task}"`, {
      hint: "Add a session without `when`: it is played when no other fits",
    });
  }
  for (const step of session.steps) {
    const code = await play(step, { ...place, about, say });
    if (code !== undefined) return code;
  }
  const isEnded = session.steps.some((step) => "end" in step);
  if (!isEnded) say("end", { kind: "done" });
  return 0;
}

const LONGEST_PROMPT = 64 * 1024 * 1024;

const readPrompt = async (file: string): Promise<string> =>
  (await readTextFile(file, { limitBytes: LONGEST_PROMPT, what: "The prompt" })) ?? "";

async function loadScript(path: string, name: string): Promise<Script> {
  const text = await readTextFile(path, { limitBytes: 5 * 1024 * 1024, what: `The script \`${name}\`` });
  if (text === undefined) {
    throw new RalphError("data", `The script ${name} does not exist`, { hint: "Check `harnesses.scripted.script`" });
  }
  // A process of its own, which a signal ends at any time; and a script may print megabytes.
  const yaml = readYaml(text, { isLong: true });
  const hint = "See docs/guides/scripted-agent.md";
  if (yaml.kind === "broken") {
    const [problem] = yaml.problems;
    const where = problem?.position === undefined ? name : `${name}:${problem.position.line}`;
    throw new RalphError("data", `${where}: ${problem?.sentence ?? "It cannot be read"}`, {
      hint: problem?.hint ?? hint,
    });
  }
  const script = readScript(yaml.data);
  if ("sessions" in script) return script;
  const [problem] = script;
  const { line } = yaml.locate(problem?.path ?? [], "key");
  throw new RalphError("data", `${name}:${line}: ${problem?.sentence ?? "It cannot be read"}`, { hint });
}

interface Stage extends ScriptedPlace {
  readonly about: ScriptCircumstances;
  readonly say: (name: StepName, value: unknown) => void;
}

/** A number is an exit code, and the end. */
async function play(step: ScriptStep, stage: Stage): Promise<number | undefined> {
  // A step was checked to have exactly one key, and that one's kind of value.
  const [[name, value]] = Object.entries(step) as [[StepName, never]];
  return (await ACTIONS[name](value, stage)) ?? undefined;
}

type Actions = {
  readonly [Name in StepName]: (value: StepValues[Name], stage: Stage) => Promise<number | void> | number | void;
};

const ACTIONS: Actions = {
  say: (text, { about, say }) => say("say", fillScript(text, about)),
  think: (text, { about, say }) => say("think", fillScript(text, about)),
  tool: (tool, { say }) => say("tool", tool),
  toolResult: (result, { say }) => say("toolResult", { ok: true, output: "", ...result }),
  // Written directly, as other agents do: a kill must not leave a draft file that looks like work.
  write: async ({ path, text }, stage) =>
    await useFile(stage, ["write", path], async (file) => writeOnce(file, fillScript(text, stage.about))),
  append: async ({ path, text }, stage) =>
    await useFile(stage, ["append", path], async (file) => await appendText(file, fillScript(text, stage.about))),
  delete: async (path, stage) => await useFile(stage, ["delete", path], removeAll),
  run: async (command, { cwd, env, say }) => {
    say("tool", { name: "run", input: command });
    say("toolResult", await runScriptCommand(command, { cwd, env }));
  },
  commit: async (text, stage) => {
    const message = fillScript(text, stage.about);
    await use(stage, ["commit", message], async () => await commitAll(message, stage));
  },
  delayMs: pause,
  usage: (usage, { say }) => say("usage", usage),
  cost: (usd, { say }) => say("cost", usd),
  raw: (bytes) => print(typeof bytes === "string" ? bytes : Buffer.from(bytes.base64, "base64")),
  stderr: printError,
  ignore: ignoreSignals,
  end: (outcome, { say }) => say("end", endOf(outcome)),
  exit: (code) => code,
  signal: async (name) => await killSelf(name),
  hang: async () => await hang(),
};

/** One line of output: a step as a script writes it. */
const sayLine = (name: StepName, value: unknown): void => print(`${JSON.stringify({ [name]: value })}\n`);

/** For a person at the terminal: texts and actions. */
function sayPlainly(name: StepName, value: unknown): void {
  if (name === "say") print(`${String(value)}\n`);
  if (name !== "tool") return;
  const { name: tool, input } = value as StepValues["tool"];
  print(`> ${tool} ${input ?? ""}\n`);
}

/** An action, shown as a tool call and its result, as other agents show theirs. */
async function use(
  { say }: Stage,
  [name, input]: readonly [name: string, input: string],
  action: () => Promise<void>,
): Promise<void> {
  say("tool", { name, input });
  try {
    await action();
    say("toolResult", { ok: true, output: "" });
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    say("toolResult", { ok: false, output: error.message });
  }
}

async function useFile(
  stage: Stage,
  [name, written]: readonly [name: string, path: string],
  action: (file: string) => Promise<void>,
): Promise<void> {
  const path = fillScript(written, stage.about);
  await use(stage, [name, path], async () => await action(resolve(stage.cwd, path)));
}

async function commitAll(message: string, { cwd, env }: Stage): Promise<void> {
  const place = { folder: cwd, env };
  const identity = ["-c", "user.name=Scripted Agent", "-c", "user.email=scripted-agent@localhost"];
  for (const args of [
    ["add", "--all"],
    [...identity, "commit", "--quiet", "--allow-empty", "--message", message],
  ]) {
    const answer = await git(place, args);
    if (answer.code !== 0) throw new RalphError("io", answer.stderr.trim());
  }
}

function endOf(outcome: ScriptedEnd): unknown {
  if (typeof outcome === "string") return { kind: outcome };
  const { resetsInMs, ...rest } = outcome;
  return typeof resetsInMs === "number" ? { ...rest, resetsAtMs: Date.now() + resetsInMs } : rest;
}
