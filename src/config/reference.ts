import { configKeys, type ConfigKey } from "./keys.ts";

/** Every key as one row of a Markdown table. */
export function makeReference(): string {
  const rows = configKeys().map(row);
  return ["| key | type | default | environment | meaning |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}

function row({ path, kind, doc, fallback, variable }: ConfigKey): string {
  const cells = [
    `\`${path.join(".")}\``,
    kind.name,
    fallback === undefined ? "required" : shownDefault(fallback),
    variable === undefined ? "" : `\`${variable}\``,
    doc,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function shownDefault(fallback: unknown): string {
  if (fallback === null) return "not set";
  return `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}\``;
}
