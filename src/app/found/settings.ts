import { join } from "node:path";
import { namesInLine } from "../../domain/verdict-report.ts";
import { type ForeignSettings, readRalphRc, readRalphToml } from "../../foreign/foreign.ts";
import { discoverGates } from "../../gate/gate.ts";
import { kindOf } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { Finder, FoundItem } from "./found.ts";

/** Settings of other tools. A new one is a line here. */
const FILES: readonly {
  readonly name: string;
  readonly tool: string;
  readonly read: (text: string) => ForeignSettings | undefined;
}[] = [
  { name: ".ralph.toml", tool: "the Rust ralph", read: readRalphToml },
  { name: ".ralphrc", tool: "ralph-claude-code", read: readRalphRc },
];
const LIMIT_BYTES = 1024 * 1024;

interface SettingsFile {
  readonly name: string;
  readonly tool: string;
  /** Undefined: it cannot be read. */
  readonly settings: ForeignSettings | undefined;
}

/** The settings of other tools that are there. */
export async function foreignSettings(root: string): Promise<SettingsFile[]> {
  const files: SettingsFile[] = [];
  for (const { name, tool, read } of FILES) {
    if ((await kindOf(join(root, name))) !== "file") continue;
    const text = await readTextFile(join(root, name), { limitBytes: LIMIT_BYTES, what: name }).catch(() => undefined);
    files.push({ name, tool, settings: text === undefined ? undefined : read(text) });
  }
  return files;
}

export const findSettings: Finder = async ({ root, plan }) => {
  const found = (await foreignSettings(root)).map((file) => foundSettings(file, plan === undefined));
  for (const name of ["PROMPT.md", ".ralph/PROMPT.md"]) {
    if ((await kindOf(join(root, name))) !== "file") continue;
    const use = `To use it: prompts: { build: ${name} } in .ralph/config.yaml`;
    found.push({ name, what: "a prompt of your own", use });
  }
  return found;
};

const MOST_NAMED = 4;

function foundSettings({ name, tool, settings }: SettingsFile, isNew: boolean): FoundItem {
  const what = `settings of ${tool}`;
  if (settings === undefined) return { name, what, use: "it cannot be read, so nothing of it is used" };
  const { specs, limits, unused } = settings;
  const said = [
    ...(specs.length > 0 ? [`specs.dirs: [${specs.join(", ")}]`] : []),
    ...Object.entries(limits).map(([key, value]) => `limits.${key}: ${value}`),
  ];
  const rest = unused.length === 0 ? "" : `no meaning here: ${namesInLine(unused, MOST_NAMED)}`;
  if (said.length === 0) return { name, what, use: rest === "" ? "it says nothing that differs here" : rest };
  const use = isNew ? "written to .ralph/config.yaml" : "read by init only; compare .ralph/config.yaml";
  return { name, what: `${what} (${said.join(", ")})`, use: rest === "" ? use : `${use}; ${rest}` };
}

/** Gates that a person chose for ito or spool. */
export const findForeignGates: Finder = async ({ root }) => {
  const gates = (await discoverGates(root)).gates.filter(({ id }) => id.startsWith("ito-"));
  const [first] = gates;
  if (first === undefined) return [];
  const commands = gates.map(({ run }) => run).join(", ");
  return [
    { name: (first.at ?? "").split(" ")[0]!, what: `validation commands: ${commands}`, use: "gates, with gates: auto" },
  ];
};
