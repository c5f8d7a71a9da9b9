import { EXIT_CODES } from "../exit-code.ts";

const WIDTH = 80;
const INDENT = "       ";

/** Wraps a text with a hanging indent. */
function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && INDENT.length + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${INDENT}`);
}

const list = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(5)}${wrapped(meaning)}`);

export const exitCodes = `Exit codes: how a command ended

${list.join("\n")}

In a script:

  ralphctl run --strict --max-cost 5
  case $? in
    0) echo "proven done" ;;
    2) echo "needs you: ralphctl task list --status parked" ;;
    4) echo "not finished: run again" ;;
  esac
`;
