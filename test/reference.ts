import { commands } from "../src/cli/commands/index.ts";
import type { Command } from "../src/cli/command.ts";
import { EXIT_CODES } from "../src/cli/exit-code.ts";
import { configReference } from "../src/config/config.ts";

/** Every page of docs/reference/, made from the code. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    "configuration.md": await configurationPage(),
    "commands.md": commandsPage(),
    "exit-codes.md": exitCodesPage(),
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

function commandsPage(): string {
  const visible = commands.filter((command) => !command.hidden);
  return `${NOTE}\n# Commands\n\n${visible.map(commandText).join("\n")}`;
}

function commandText({ name, summary, args = [], options = [], examples = [] }: Command): string {
  const words = args.map(({ name, isOptional, isRest }) => {
    const word = `${name}${isRest ? "..." : ""}`;
    return isOptional ? `[${word}]` : `<${word}>`;
  });
  const rows = [
    ...args.map(({ name, doc, choices }) => [`\`${name}\``, choices ? `${doc}: ${choices.join(", ")}` : doc]),
    ...options.map(({ flags, doc, choices }) => [`\`${flags}\``, choices ? `${doc}: ${choices.join(", ")}` : doc]),
  ];
  const table = rows.map(([left, right]) => `| ${left} | ${right} |\n`).join("");
  const shown = examples.length > 0 ? `\n\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n` : "";
  return `## \`${["ralphctl", name, ...words].join(" ")}\`

${summary}
${table && `\n| argument or option | meaning |\n|---|---|\n${table}`}${shown}`;
}

function exitCodesPage(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |\n`);
  return `${NOTE}\n# Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("")}`;
}
