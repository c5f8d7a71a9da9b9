const MAX_INPUT = 200;
const MAX_OUTPUT = 2000;

/** The input of a tool on one short line: its most telling argument. */
export function briefInput(input: unknown): string {
  if (typeof input === "string") return cut(oneLine(input), MAX_INPUT);
  if (typeof input !== "object" || input === null) return "";
  return cut(oneLine(mainIn(input) ?? JSON.stringify(input)), MAX_INPUT);
}

/** Whether an input says what a call is about: some CLIs tell of a call before they have its arguments. */
export const isTelling = (input: unknown): boolean =>
  typeof input === "string" ? input !== "" : typeof input === "object" && input !== null && mainIn(input) !== undefined;

function mainIn(input: object): string | undefined {
  const values = input as Record<string, unknown>;
  return MAIN.map((name) => values[name]).find((value) => typeof value === "string");
}

/** The text of a tool's result, cut. */
export function briefOutput(output: unknown): string {
  if (typeof output === "string") return cut(output, MAX_OUTPUT);
  if (!Array.isArray(output)) return "";
  const texts = output.map((part: unknown) =>
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : "",
  );
  return cut(texts.filter((text) => text !== "").join("\n"), MAX_OUTPUT);
}

/** Arguments that say what a call is about, in most CLIs. */
const MAIN = ["command", "cmd", "file_path", "filePath", "path", "pattern", "url", "query", "description"];

const oneLine = (text: string): string =>
  text
    .slice(0, 4 * MAX_INPUT)
    .replaceAll(/\s+/g, " ")
    .trim();

/** Never through the middle of a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(0, most);
  return `${/[\ud800-\udbff]$/.test(end) ? end.slice(0, -1) : end}…`;
}
