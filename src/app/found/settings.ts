import { join } from "node:path";
import { readRalphToml, type RalphToml } from "../../foreign/foreign.ts";
import { discoverGates } from "../../gate/gate.ts";
import { kindOf } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { Finder, FoundItem } from "./found.ts";

const TOML = ".ralph.toml";
const LIMIT_BYTES = 1024 * 1024;

/** The settings of the Rust ralph; undefined without any, or if they cannot be read. */
export async function ralphToml(root: string): Promise<RalphToml | undefined> {
  const text = await readTextFile(join(root, TOML), { limitBytes: LIMIT_BYTES, what: TOML }).catch(() => undefined);
  return text === undefined ? undefined : readRalphToml(text);
}

export const findSettings: Finder = async ({ root, plan }) => {
  const found: FoundItem[] = [];
  if ((await kindOf(join(root, TOML))) === "file") found.push(await foundToml(root, plan === undefined));
  if ((await kindOf(join(root, ".ralphrc"))) === "file") {
    const use = "not read: its settings are keys of .ralph/config.yaml here";
    found.push({ name: ".ralphrc", what: "settings of ralph-claude-code", use });
  }
  for (const name of ["PROMPT.md", ".ralph/PROMPT.md"]) {
    if ((await kindOf(join(root, name))) !== "file") continue;
    const use = `To use it: prompts: { build: ${name} } in .ralph/config.yaml`;
    found.push({ name, what: "a prompt of your own", use });
  }
  return found;
};

async function foundToml(root: string, isNew: boolean): Promise<FoundItem> {
  const name = TOML;
  const settings = await ralphToml(root);
  const what = "settings of the Rust ralph";
  if (settings === undefined) return { name, what, use: "it is not TOML, so nothing of it is used" };
  const { specs, attempts } = settings;
  const said = [
    ...(specs.length > 0 ? [`specs.dirs: [${specs.join(", ")}]`] : []),
    ...(attempts === undefined ? [] : [`limits.attempts: ${attempts}`]),
  ];
  if (said.length === 0) return { name, what, use: "it says nothing that differs here" };
  const use = isNew ? "written to .ralph/config.yaml" : "read by init only; compare .ralph/config.yaml";
  return { name, what: `${what} (${said.join(", ")})`, use };
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
