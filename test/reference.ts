import { commands } from "../src/cli/commands/index.ts";
import type { Command, Option } from "../src/cli/command.ts";
import { EXIT_CODES } from "../src/cli/exit-code.ts";
import { type Tool, TOOLS } from "../src/cli/mcp/tools.ts";
import { configReference } from "../src/config/config.ts";
import { PRICES, PRICES_AS_OF } from "../src/domain/prices.ts";
import { EVENT_DOCS } from "../src/domain/run/event-docs.ts";
import { EVENT_OBJECTS } from "../src/domain/run/event-objects.ts";
import { TASK_JSON_FIELDS } from "../src/domain/task-json.ts";
import { session, settings } from "../src/harness/harness.contract.ts";
import type { Facts, Harness, HarnessSettings } from "../src/harness/harness.ts";
import * as harnesses from "../src/harness/index.ts";
import { apiPage } from "./api-reference.ts";
import { JSON_OUTPUTS } from "./json-outputs.ts";
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
    "api.md": apiPage(NOTE),
  };
}

const NOTE = "<!-- Written by `npm run docs` from the code. -->";

const configurationPage = async (): Promise<string> => `${NOTE}
# Configuration

ralphctl reads \`.ralph/config.yaml\` from the working directory or the nearest folder above it. If a key is set in several
places, the first of these wins:

1. flag
2. environment variable
3. \`--config\` file
4. \`.ralph/config.yaml\`
5. user file (\`$XDG_CONFIG_HOME/ralphctl/config.yaml\`)
6. default

Mappings are merged; lists are replaced. Relative paths start at the workspace, or in any other file at its folder. Write
durations like \`30s\`, \`5m\`, \`1m30s\`, \`2h\`, or as a number of seconds, and sizes like \`64KB\`, \`5MB\`.

An unknown key is an error. \`ralphctl config get KEY\` shows where a value comes from.

${await configReference()}`;

const libraryPage = (): string => `${NOTE}
# Library

Everything that \`ralphctl\` exports. See the [examples](../../examples) for programs that use it, and
[events.md](events.md) for the events of a run.

${libraryDeclarations()
  .map(({ name, text }) => `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`)
  .join("\n")}`;

function commandsPage(): string {
  const visible = commands.filter((command) => !command.hidden);
  const allowed = visible.flatMap(({ name, inSession }) => (inSession ? [`\`${name}\``] : []));
  return `${NOTE}
# Commands

Inside an agent's session only these commands work: ${allowed.join(", ")}, and help. All others
exit with 64. A process is inside if it has \`RALPHCTL_ATTEMPT\` or \`RALPHCTL_DOOR\`, even empty, or if a process above it has. In a session, \`task done\`, \`task fail\` and \`task park\` accept only the assigned task, and record a claim
that ralphctl checks when the session ends.

${visible.map(commandText).join("\n")}`;
}

const mcpPage = (): string => `${NOTE}
# Tools of \`ralphctl mcp\`

\`ralphctl mcp\` is a Model Context Protocol server on standard input and output, for the workspace in which it starts. It
exits when its input ends. To add it to your agent, run this in the workspace:

\`\`\`sh
${commands.find(({ name }) => name === "mcp")!.examples!.join("\n")}
\`\`\`

The tools follow the same rules as the commands of the same name, and treat every caller as an agent. Inside a session
an agent can claim the assigned task, and the gates decide when the session ends. Outside, it
can read and add tasks, but claim nothing. Tasks have the format of [json.md](json.md). A refused call returns an error with
a message and a hint.

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

With \`--json\`, standard output contains only JSON. New versions may add fields, but never rename, remove or retype one. A
missing value is \`null\`. Times are ISO 8601 in UTC.

## A task

| field | type | meaning |
|---|---|---|
${rows.join("")}
${JSON_OUTPUTS}`;
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

Everything that happens in a run is an event. Each is one line of JSON, in \`.ralph/runs/RUN/events.ndjson\` and, with
\`ralphctl run --json\`, on standard output.

- New versions may add fields and types. \`v\` changes if one changes its meaning.
- A missing value is left out.
- Texts longer than 64 KB are truncated, with a note.
- If an environment variable looks like a secret, its value is replaced by the variable's name in brackets.

Every line has \`v\` (1), \`at\` (ISO 8601, UTC), \`run\` (its id), \`type\`, and the fields of its type:

${events.join("\n")}
## Objects in events

${objects.join("")}`;
}

const FIELD_HEAD = "| field | type | meaning |\n|---|---|---|\n";

const fieldRow = (name: string, kind: string, meaning: string): string =>
  `| \`${name}\` | ${typeText(kind)} | ${meaning} |\n`;

const typeText = (kind: string): string => (kind.endsWith("?") ? `${kind.slice(0, -1)}, or absent` : kind);

/** Settings for harnesses without a default program. */
const TOLD: Readonly<Record<string, Partial<HarnessSettings>>> = {
  acp: { run: "my-agent acp" },
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
    return `| \`${name}\` | ${title} | ${testedVersion} (minimum ${minimumVersion}) | ${reported(facts)} | ${reopened} | ${login} |\n`;
  });
  const parts = all.map(([name, { facts, start }]) => {
    const own = { ...settings, ...TOLD[name] };
    const asked = { ...session, model: "MODEL", sessionId: "ID", systemPrompt: "SYSTEM", prompt: "PROMPT" };
    const { file, args, env } = start({ ...asked, folder: "FOLDER", settings: own, self: ["ralphctl"] });
    const variables = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
    const line = [...variables, file, ...args].map(shellWord).join(" ");
    const signals = facts.stopOrder.map(({ signal, waitMs }) => `${signal} (waits ${waitMs / 1000} s)`).join(", ");
    const quirks = facts.quirks.map((quirk) => `- ${quirk}\n`).join("");
    const agents = (facts.agents ?? []).map((agent) => `| ${agent.title} | \`${agent.run}\` | ${agent.login} |\n`);
    const known =
      agents.length === 0 ? "" : `\n| agent | \`run\` | if the login is refused |\n|---|---|---|\n${agents.join("")}`;
    const install = facts.package === undefined ? "" : `Install it with \`npm install --global ${facts.package}\`. `;
    return `## \`${name}\`: ${facts.title}\n\n\`\`\`sh\n${line}\n\`\`\`\n\n${install}To stop it, ralphctl sends ${signals}, then SIGKILL.\n${quirks && `\n${quirks}`}${known}`;
  });
  return `${NOTE}
# Harnesses

How ralphctl runs each agent. Every session is a new one, and gets the prompt on standard input, whatever its size. To
change the command, set \`harnesses.NAME.bin\`, \`args\` (added at the end) and \`env\`
([configuration.md](configuration.md)).

The tested versions are those whose output is recorded in \`src/harness/recorded\`. \`npm run e2e:harness\` runs
${CLIS.map(({ name }) => `\`${name}\``).join(", ")} in these versions, with a scripted model.

| name | CLI | tested version | reports | reopen a session | if the login is refused |
|---|---|---|---|---|---|
${rows.join("")}
An estimated cost is computed from the tokens and the list prices as of ${PRICES_AS_OF}, without surcharges and discounts.
It is marked as an estimate everywhere. For a model without a known price there is no estimate, and \`limits.cost\` is
refused. ralphctl does not know about subscriptions: the cost is what the tokens would cost without one. Prices are known
for ${Object.keys(PRICES)
    .map((model) => `\`${model}\``)
    .join(", ")}.

${parts.join("\n")}`;
}

function reported({ usage, cost }: Facts): string {
  const tokens = { none: "", session: "tokens", cumulative: "tokens (separated if a session is resumed)" }[usage];
  const dollars = { none: "", reported: "cost", estimated: "cost (estimated)" }[cost];
  return [tokens, dollars].filter((text) => text !== "").join(", ") || "nothing";
}

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);
