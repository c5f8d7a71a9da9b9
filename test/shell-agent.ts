import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readScript } from "../src/domain/read-script.ts";
import type { ScriptCondition, ScriptSession, ScriptStep, StepName, StepValues } from "../src/domain/script.ts";
import { shellWord } from "../src/domain/shell-word.ts";
import { readYaml } from "../src/system/yaml-text.ts";
import { PROGRAM } from "./built-program.ts";

/**
 * The same agent as `ralphctl scripted-agent SCRIPT`, as a program for `/bin/sh`, which starts in a tenth of the time.
 * Sessions with steps that a shell cannot play alike are handed to the real one, and so is what is no script.
 */
function shellAgent(script: string): string {
  const yaml = readYaml(script);
  const read = yaml.kind === "broken" ? [] : readScript(yaml.data);
  if (!("sessions" in read)) return `${HEAD}${REAL}\n`;
  const { sessions } = read;
  const inOrder = sessions.filter(({ when }) => when === undefined);
  const last = inOrder.length - 1;
  const choices = [
    ...sessions.filter(({ when }) => when !== undefined).map((one) => [conditionOf(one.when!), one] as const),
    ...inOrder.map((one, at) => [at === last ? "true" : `[ "$iteration" -eq ${at + 1} ]`, one] as const),
  ];
  const cases = choices.map(([condition, one]) => `if ${condition}; then\n${bodyOf(one)}\nfi\n`);
  const asksForTitle = sessions.some(({ when }) => when?.title !== undefined);
  return `${HEAD}${asksForTitle ? TITLE : ""}${cases.join("")}${REAL}\n`;
}

/** Writes the script into a folder, and beside it the program that plays it. */
export function writeAgent(folder: string, script: string): { readonly script: string; readonly bin: string } {
  const paths = { script: join(folder, "script.yaml"), bin: join(folder, "agent") };
  writeFileSync(paths.script, script);
  writeFileSync(paths.bin, shellAgent(script), { mode: 0o755 });
  return paths;
}

const REAL = `play_really "$@"`;

/** Output as a text in JSON. */
const ESCAPED = String.raw`s/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g`;

const HEAD = `#!/bin/sh
play_really() {
  printf '%s' "$prompt" >"$0.$$.prompt"
  exec ${shellWord(process.execPath)} ${shellWord(PROGRAM)} scripted-agent "$@" <"$0.$$.prompt"
}
result() {
  if [ "$1" -eq 0 ]; then ok=true; else ok=false; fi
  text=
  if [ -s "$0.$$.output" ]; then
    text=$(tr -d '\\000-\\010\\013-\\037' <"$0.$$.output" | sed '${ESCAPED}' | awk '{ printf "%s\\\\n", $0 }')
  fi
  printf '{"toolResult":{"ok":%s,"output":"%s"}}\\n' "$ok" "$text"
}
# A person attends: the real one says less.
test -z "$RALPHCTL_PROMPT" || exec ${shellWord(process.execPath)} ${shellWord(PROGRAM)} scripted-agent "$@"
task=$RALPHCTL_TASK
iteration=\${RALPHCTL_ITERATION:-1}
prompt=$(cat)
`;

/** Takes a shell some milliseconds in a long prompt. */
const TITLE = `case "$prompt" in
  *"
**Title:** "*) title=\${prompt#*"
**Title:** "}; title=\${title%%"
"*} ;;
  *) title= ;;
esac
`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const pattern = (text: string): string => text.split("*").map(quoted).join("*");

function conditionOf({ task, title, iteration, prompt }: ScriptCondition): string {
  const fits = (name: string, words: string): string => `case "$${name}" in ${words}) true ;; *) false ;; esac`;
  const all = [
    task === undefined ? [] : fits("task", pattern(task)),
    title === undefined ? [] : fits("title", pattern(title)),
    iteration === undefined ? [] : `[ "$iteration" -eq ${iteration} ]`,
    prompt === undefined ? [] : fits("prompt", `*${quoted(prompt)}*`),
  ].flat();
  return all.length === 0 ? "true" : all.join(" && ");
}

function bodyOf({ steps }: ScriptSession): string {
  const lines = steps.map(lineOf);
  if (lines.includes(undefined)) return REAL;
  const isEnded = steps.some((step) => "end" in step);
  return [...lines, ...(isEnded ? [] : [say("end", { kind: "done" })]), "exit 0"].join("\n");
}

/** A step in shell; undefined: only the real agent can do it. */
function lineOf(step: ScriptStep): string | undefined {
  if (/\{prompt\}|\\u0000/.test(JSON.stringify(step))) return undefined;
  // A script was checked to have exactly one key in each step, and that one's kind of value.
  const [[name, value]] = Object.entries(step) as [[StepName, never]];
  return LINES[name]?.(value);
}

const LINES: { readonly [Name in StepName]?: (value: StepValues[Name]) => string | undefined } = {
  say: (text) => say("say", text, "filled"),
  think: (text) => say("think", text, "filled"),
  tool: (tool) => say("tool", tool),
  toolResult: (result) => say("toolResult", { ok: true, output: "", ...result }),
  write: ({ path, text }) => use("write", path, `${folderOf(path)}printf '%s' ${filled(text)} >${quoted(path)}`),
  append: ({ path, text }) => use("append", path, `${folderOf(path)}printf '%s' ${filled(text)} >>${quoted(path)}`),
  delete: (path) => use("delete", path, `rm -rf ${quoted(path)}`),
  run: (command) =>
    `${say("tool", { name: "run", input: command })}
/bin/sh -c ${quoted(command)} </dev/null >"$0.$$.output" 2>&1
result $?`,
  delayMs: (ms) => `sleep ${ms / 1000}`,
  usage: (usage) => say("usage", usage),
  cost: (usd) => say("cost", usd),
  stderr: (text) => `printf '%s' ${quoted(text)} >&2`,
  end: (outcome) =>
    typeof outcome === "string"
      ? say("end", { kind: outcome })
      : "resetsInMs" in outcome
        ? undefined
        : say("end", outcome),
  exit: (code) => `exit ${code}`,
};

const folderOf = (path: string): string => (path.includes("/") ? `mkdir -p ${quoted(dirname(path))} && ` : "");

const use = (name: string, input: string, command: string): string =>
  `${say("tool", { name, input })}\n{ ${command}; } 2>"$0.$$.output"\nresult $?`;

function say(name: StepName, value: unknown, how: "filled" | "as it is" = "as it is"): string {
  const line = JSON.stringify({ [name]: value });
  return `printf '%s\\n' ${how === "filled" ? filled(line) : quoted(line)}`;
}

/** Ids and numbers need no escaping, not even in JSON. */
const filled = (text: string): string =>
  quoted(text).replaceAll("{task}", `'"$task"'`).replaceAll("{iteration}", `'"$iteration"'`);
