import { dirname, join } from "node:path";
import { checkConfigText, type ConfigEdit, setConfigValue, userConfigFile } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import { findUp } from "../system/find-up.ts";
import { makeFolder, replaceText, textIn, writeOnce } from "../system/folder.ts";
import type { Surroundings } from "./workspace.ts";

export interface EditedConfig {
  readonly file: string;
  readonly hasChanged: boolean;
}

interface Place {
  readonly surroundings: Surroundings;
  /** The person's own file instead of the workspace's. */
  readonly isUser: boolean;
}

/** The file that is edited. */
export async function configToEdit({ surroundings: { cwd, env }, isUser }: Place): Promise<string> {
  const workspace = isUser ? undefined : await findUp(cwd, ".ralph");
  const file = isUser ? await userConfigFile(env) : workspace && join(workspace, ".ralph", "config.yaml");
  if (file !== undefined) return file;
  throw new RalphError("config", isUser ? "HOME is not set" : `No workspace here: no .ralph/ in ${cwd} or above it`, {
    hint: isUser ? "Set HOME" : "Run ralphctl init, or write --user for a setting of yours in all workspaces",
  });
}

/** Sets a value, or removes it; comments and everything else stay. Nothing is written if it would not be valid. */
export async function editConfig(edit: ConfigEdit, place: Place): Promise<EditedConfig> {
  const file = await configToEdit(place);
  const before = textIn(file);
  const text = await setConfigValue(before ?? "", edit, { file, cwd: place.surroundings.cwd, isTheirs: !place.isUser });
  return { file, hasChanged: await writeConfig(file, { from: before, to: text }) };
}

/** Checks a text that a person wrote, and takes it. */
export async function takeConfig(
  file: string,
  texts: { readonly from: string | undefined; readonly to: string },
  { surroundings: { cwd }, isUser }: Place,
): Promise<boolean> {
  await checkConfigText(texts.to, { file, cwd, isTheirs: !isUser });
  return await writeConfig(file, texts);
}

async function writeConfig(
  file: string,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<boolean> {
  if (from === to) return false;
  await makeFolder(dirname(file));
  if (from === undefined) {
    writeOnce(file, to);
    return true;
  }
  if ((await replaceText(file, { from, to })) === "written") return true;
  throw new RalphError("busy", `${file} changed meanwhile, and stays as it is`, { hint: "Run this command again" });
}
