import { commands } from "../src/cli/commands/index.ts";
import type { Command, Option } from "../src/cli/command.ts";
import { EXIT_CODES } from "../src/cli/exit-code.ts";
import { type Tool, TOOLS } from "../src/cli/mcp/tools.ts";
import { configReference } from "../src/config/config.ts";
import { PRICES_AS_OF, pricedModels } from "../src/domain/prices.ts";
import { EVENT_DOCS, EVENT_OBJECTS } from "../src/domain/run/event-docs.ts";
import { TASK_JSON_FIELDS } from "../src/domain/task-json.ts";
import { session, settings } from "../src/harness/harness.contract.ts";
import type { Facts, Harness, HarnessSettings } from "../src/harness/harness.ts";
import * as harnesses from "../src/harness/index.ts";
import { libraryDeclarations } from "./library-reference.ts";
import { CLIS } from "./real-cli/clis.ts";

/** Every page of docs/reference/, made from the code. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    "configuration.md": await configurationPage(),
    "commands.md": commandsPage(),
    "exit-codes.md": exitCodesPage(),
    "json.md": jsonPage(),
    "events.md": eventsPage(),
    "harnesses.md": harnessesPage(),
    "library.md": libraryPage(),
    "mcp.md": mcpPage(),
  };
}

const NOTE = "<!-- Written by `npm run docs` from the code. -->";

const configurationPage = async (): Promise<string> => `${NOTE}
# Configuration

\`.ralph/config.yaml\`, found by walking up from the working directory. What is given twice is taken from the first of:
flag, environment, \`--config\` file, \`.ralph/config.yaml\`, user file (\`$XDG_CONFIG_HOME/ralphctl/config.yaml\`), default.
Mappings are merged, lists are replaced. Relative paths start at the workspace; those of another file at its folder.

Durations are written like \`30s\`, \`5m\`, \`1m30s\`, \`2h\`, or a number of seconds; sizes like \`64KB\`, \`5MB\`.
An unknown key is an error. \`ralphctl config get KEY\` tells where a value comes from.

${await configReference()}`;

const libraryPage = (): string => `${NOTE}
# Library

All that \`import … from "ralphctl"\` gives. Programs that use it are in [examples](../../examples); the events of a run are
explained in [events.md](events.md).

${libraryDeclarations()
  .map(({ name, text }) => `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`)
  .join("\n")}`;

function commandsPage(): string {
  const visible = commands.filter((command) => !command.hidden);
  const allowed = visible.flatMap(({ name, inSession }) => (inSession ? [`\`${name}\``] : []));
  return `${NOTE}
# Commands

Inside a session, where an agent calls it (\`RALPHCTL_ATTEMPT\` is set), only these work: ${allowed.join(", ")}, and help.
There, \`task done\`, \`task fail\` and \`task park\` concern the assigned task only, and record a claim that is checked when
the session ends. All others end with 64.

${visible.map(commandText).join("\n")}`;
}

const mcpPage = (): string => `${NOTE}
# Tools of \`ralphctl mcp\`

A server of the Model Context Protocol on standard input and output, about the workspace that it is started in. It ends
when its input does. To give it to an agent of yours, in the workspace:

\`\`\`sh
${commands.find(({ name }) => name === "mcp")!.examples!.join("\n")}
\`\`\`

The rules are those of the commands with the same words. Whoever calls a tool is an agent: inside a session
(\`RALPHCTL_ATTEMPT\` is set) it can claim the assigned task, and gates decide when the session ends; elsewhere it can read
and add, and claim nothing. Tasks are those of [json.md](json.md). What is refused is an error with a sentence and a hint.

${TOOLS.map(toolText).join("\n")}`;

function toolText({ name, doc, fields }: Tool): string {
  const rows = Object.entries(fields).map(([field, { kind, doc, isNeeded, choices }]) => {
    const words = choices ? `: ${choices.map((word) => `\`${word}\``).join(", ")}` : "";
    return `| \`${field}\` | ${FIELD_KINDS[kind]}${isNeeded ? ", required" : ""} | ${doc}${words} |\n`;
  });
  return `## \`${name}\`\n\n${doc}\n\n| argument | type | meaning |\n|---|---|---|\n${rows.join("")}`;
}

const FIELD_KINDS = { text: "text", number: "whole number", texts: "list of texts" } as const;

function commandText({ name, summary, args = [], options = [], examples = [] }: Command): string {
  const words = args.map(({ name, isOptional, isRest }) => {
    const word = `${name}${isRest ? "..." : ""}`;
    return isOptional ? `[${word}]` : `<${word}>`;
  });
  const rows = [
    ...args.map(({ name, doc, choices }) => [`\`${name}\``, choices ? `${doc}: ${choices.join(", ")}` : doc]),
    ...options.map((option) => [`\`${option.flags}\``, optionText(option)]),
  ];
  const table = rows.map(([left, right]) => `| ${left} | ${right} |\n`).join("");
  const shown = examples.length > 0 ? `\n\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n` : "";
  return `## \`${["ralphctl", name, ...words].join(" ")}\`

${summary}
${table && `\n| argument or option | meaning |\n|---|---|\n${table}`}${shown}`;
}

function optionText({ doc, choices, isRepeatable }: Option): string {
  const text = choices ? `${doc}: ${choices.join(", ")}` : doc;
  return isRepeatable ? `${text} (may be repeated)` : text;
}

function exitCodesPage(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |\n`);
  return `${NOTE}\n# Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("")}`;
}

function jsonPage(): string {
  const rows = Object.entries(TASK_JSON_FIELDS).map(
    ([name, [type, meaning]]) => `| \`${name}\` | ${type} | ${meaning} |\n`,
  );
  return `${NOTE}
# JSON

With \`--json\`, data on standard output is JSON and nothing else. Fields may be added; none is renamed, removed or
given another type. A value that is not there is \`null\`. Times are ISO 8601 in UTC.

## A task

| field | type | meaning |
|---|---|---|
${rows.join("")}
## Which command prints what

| command | prints |
|---|---|
| \`task list\`, \`task ready\` | a list of tasks, one per line |
| \`task tree\` | the same, each with its \`depth\`, from 0 on |
| \`task show\` | a task, with \`dependents\` (ids of what needs it), \`attemptLog\` (every claim of it) and \`log\` |
| \`task log\` | the list of log entries: \`at\`, \`by\`, \`kind\`, \`text\` |
| \`task graph\` | \`tasks\` (\`id\`, \`title\`, \`state\`, \`scope\`, \`parent\`) and \`edges\` (\`from\` what is needed, \`to\` what needs it) |
| \`task dep list\` | \`id\`, \`needs\` and \`dependents\` |
| \`task add\`, \`edit\`, \`done\`, \`fail\`, \`reset\`, \`park\`, \`answer\`, \`drop\`, \`log --add\`, \`dep add\`, \`dep rm\` | each changed task as it is now, one per line |
| \`task rm\` | each removed task as it was, with \`removed\`: how many went, itself included |
| \`run\` | events, one per line: [events.md](events.md) |
| \`verify\` | one object: \`version\`, \`verdict\` (\`verified\`, \`failed\`, \`interrupted\`), \`place\` (\`tree\`, \`checkout\`), \`tree\` and \`commit\` (what was looked at), \`task\` (an id), \`setup\` (a gate, or null), \`gates\`, \`notices\`, and \`recorded\` (what the task was last verified by, or null): \`run\`, \`iteration\`, \`at\`, \`tree\`, \`commit\`, \`gates\` |
| \`run --status\` | \`version\`, \`scope\`, \`run\` (null: there was none) and, of the newest run, \`state\` (\`running\`, \`finished\`, \`ended\`), \`startedAt\`, \`lastAt\`, \`mode\`, \`harness\`, \`branch\`, \`ending\`, \`reason\`, \`waiting\`, \`tasks\` (numbers), \`commits\`, \`costUsd\`, \`isCostPartial\`, \`isCostEstimated\`, \`tokens\`, \`iterations\`, \`notices\`, \`kept\` |
| \`project list\`, \`change list\` | the list of scopes: \`name\`, \`scope\`, \`folder\`, \`state\` (\`ready\`, \`plan\`: it has specs but no tasks, \`running\`, \`waiting\` for a person, \`blocked\`, \`failed\`, \`done\`, \`empty\`), \`tasks\` (numbers by status, \`ready\` and \`blocked\`, parents not counted; null: none), \`problems\` |
| \`inspect\` | the list of sessions: \`run\`, \`iteration\`, \`scope\`, \`mode\`, \`task\` (\`id\`, \`title\`), \`harness\`, \`model\`, \`startedAt\`, \`endedAt\`, \`outcome\`, \`session\` (the agent's own id), \`commit\`, \`costUsd\`, \`tokens\`, \`folder\`, \`reopen\` (the words of the command that opens it again) |
| \`inspect RUN\` | one object: \`version\`, \`kind\` (\`run\`), what \`run --status\` has of a run, \`iterations\` (sessions as above, each with \`why\`), \`waits\` (\`for\`, \`from\`, \`to\`), \`checks\` (\`check\`, \`at\`, \`red\`) |
| \`inspect ITERATION\` | one object: \`version\`, \`kind\` (\`iteration\`), a session as above, and \`why\`, \`counted\`, \`status\`, \`reason\`, \`question\`, \`isEstimated\`, \`ended\`, \`stopped\`, \`claims\` (\`claim\`, \`channel\`), \`notes\`, \`tools\` (how often one was used), \`gates\` (\`gate\`, \`command\`, \`passed\`, \`end\`, \`runs\`, \`durationMs\`, \`output\`, \`file\`), \`verdict\` (\`verdict\`, \`reasons\`, \`tree\`), \`changed\` (\`files\`, \`paths\`), \`patch\` (\`file\`, \`files\`: \`path\`, \`added\`, \`removed\`, \`isBinary\`), \`commits\`, \`prompt\` and \`transcript\` (files) |
| \`inspect TASK\` | one object: \`version\`, \`kind\` (\`task\`), \`task\`, \`attempts\`: entries of \`attemptLog\`, each with \`record\`, its iteration as above (null: nothing is left of it) |
| \`status\` | one object: \`version\`, \`at\`, \`folder\`, \`scope\` (null: all), \`running\` (\`run\`, \`scope\`, \`pid\`, \`host\`, \`folder\`, \`startedAt\`, \`lastAt\`, \`idleMs\`, \`mode\`, \`limits\`, \`iteration\`, \`waiting\` (\`for\`, \`until\`), \`commits\`, \`costUsd\`, \`isCostPartial\`, \`tokens\`), \`last\` (the newest run that has ended: \`run\`, \`scope\`, \`lastAt\`, \`ending\`, \`reason\`, \`costUsd\`, \`tokens\`), \`tasks\` (for each scope numbers by status, \`ready\` and \`blocked\`, parents not counted), \`next\`, \`waiting\` and \`failed\` (the first tasks that are ready, wait for a person, or failed), \`held\` (tasks that somebody works on, with \`isHolderAlive\`), and \`costUsd\`, \`tokens\` and \`runs\`: what all runs that are kept have reported |
| \`logs\` | events, one per line, as they were written: [events.md](events.md) |
| \`doctor\` | the list of findings: \`level\` (\`ok\`, \`warning\`, \`problem\`), \`check\`, \`message\`, \`fix\` |

An entry of \`attemptLog\` has \`fence\` (the number of the claim), \`run\`, \`iteration\`, \`owner\`, \`startedAt\`, \`endedAt\`,
\`outcome\`, \`counted\`, \`reason\`, \`costUsd\`, \`tokens\`, \`session\`, \`verdict\` and \`details\`.

A gate of \`verify\` has \`id\`, \`kind\` (\`task\`, \`workspace\`, \`command\`), \`command\`, \`passed\`, \`runs\`, \`durationMs\`, \`end\` and
\`output\` (its end); one of \`recorded\` has \`id\`, \`kind\`, \`command\` and \`passed\`.
`;
}

function eventsPage(): string {
  const events = Object.entries(EVENT_DOCS).map(([type, { doc, fields }]) => {
    const rows = Object.entries(fields).map(([name, [kind, meaning]]) => fieldRow(name, kind, meaning));
    return `## \`${type}\`\n\n${doc}\n${rows.length > 0 ? `\n${FIELD_HEAD}${rows.join("")}` : ""}`;
  });
  const objects = Object.entries(EVENT_OBJECTS).map(([name, fields]) => {
    const shown = Object.entries(fields).map(([field, kind]) => `\`${field}\` (${typeText(kind)})`);
    return `- **${name}**: ${shown.join(", ")}\n`;
  });
  return `${NOTE}
# Events

Everything that happens in a run is an event: one line of JSON each, in \`.ralph/runs/RUN/events.ndjson\` and on standard
output with \`ralphctl run --json\`. Fields and types of events may be added; \`v\` changes when one changes its meaning.
A value that is not there is left out. Texts are cut to 64 KB, and say so. Values of environment variables that look
like secrets are replaced by the variable's name in brackets.

Every line has \`v\` (1), \`at\` (ISO 8601, UTC), \`run\` (its id), \`type\`, and the fields of its type:

${events.join("\n")}
## Objects in events

${objects.join("")}`;
}

const FIELD_HEAD = "| field | type | meaning |\n|---|---|---|\n";

const fieldRow = (name: string, kind: string, meaning: string): string =>
  `| \`${name}\` | ${typeText(kind)} | ${meaning} |\n`;

const typeText = (kind: string): string => (kind.endsWith("?") ? `${kind.slice(0, -1)}, or absent` : kind);

/** What those that have no program of their own must be told. */
const TOLD: Readonly<Record<string, Partial<HarnessSettings>>> = {
  command: { bin: "my-agent" },
  scripted: { script: "script.yaml" },
  replay: { recording: ".ralph/runs/RUN/1" },
};

function harnessesPage(): string {
  const all = Object.entries(harnesses as Readonly<Record<string, Harness>>).sort(([a], [b]) => (a < b ? -1 : 1));
  const clis = all.filter(([, { facts }]) => facts.program !== undefined);
  const rows = clis.map(([name, { facts }]) => {
    const { title, testedVersion, minimumVersion, reopen, login } = facts;
    const reopened = `\`${[facts.program, ...(reopen?.("ID") ?? [])].join(" ")}\``;
    return `| \`${name}\` | ${title} | ${testedVersion}, from ${minimumVersion} on | ${reported(facts)} | ${reopened} | ${login} |\n`;
  });
  const parts = all.map(([name, { facts, start }]) => {
    const own = { ...settings, ...TOLD[name] };
    const asked = { ...session, model: "MODEL", sessionId: "ID", systemPrompt: "SYSTEM", prompt: "PROMPT" };
    const { file, args, env } = start({ ...asked, folder: "FOLDER", settings: own, self: ["ralphctl"] });
    const variables = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
    const line = [...variables, file, ...args].map(shellWord).join(" ");
    const signals = facts.stopOrder.map(({ signal, waitMs }) => `${signal}, ${waitMs / 1000} s`).join("; ");
    const quirks = facts.quirks.map((quirk) => `- ${quirk}\n`).join("");
    const install = facts.package === undefined ? "" : `Installed by \`npm install --global ${facts.package}\`. `;
    return `## \`${name}\`: ${facts.title}\n\n\`\`\`sh\n${line}\n\`\`\`\n\n${install}Stopped by ${signals}; then SIGKILL.\n${quirks && `\n${quirks}`}`;
  });
  return `${NOTE}
# Harnesses

How each agent is driven. The prompt is on standard input, whatever its size; every session is a fresh one. What is
started can be changed by \`harnesses.NAME.bin\`, \`args\` (added at the end) and \`env\`
([configuration.md](configuration.md)). Versions are those whose output is recorded in \`src/harness/recorded\`;
${CLIS.map(({ name }) => `\`${name}\``).join(", ")} are run in these versions, with a scripted model, by
\`npm run e2e:harness\`.

| name | CLI | tested version | reported | reopens a session | when the login is refused |
|---|---|---|---|---|---|
${rows.join("")}
A cost that is estimated is computed from the tokens, by the makers' list prices as of ${PRICES_AS_OF}, and called an
estimate wherever it is shown: prices change, and surcharges and discounts are not in it. For a model without a known
price there is none, and \`limits.cost\` is refused. Subscriptions are not known to ralphctl: what is reported or
estimated is what the tokens would cost. Prices are known of ${pricedModels()
    .map((model) => `\`${model}\``)
    .join(", ")}.

${parts.join("\n")}`;
}

function reported({ usage, cost }: Facts): string {
  const tokens = { none: "", session: "tokens", cumulative: "tokens (told apart where a session is resumed)" }[usage];
  const dollars = { none: "", reported: "cost", estimated: "cost estimated from them" }[cost];
  return [tokens, dollars].filter((text) => text !== "").join(", ") || "nothing";
}

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);
