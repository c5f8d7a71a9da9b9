import { listProjects } from "../../app/scopes.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { printScopes } from "../scope-list.ts";

/** Every project of the workspace, and how it stands. */
export async function run(input: Input, io: Io): Promise<void> {
  const none = "There is no project here. Create one: ralphctl init --project NAME";
  printScopes(await listProjects(surroundings(input, io)), { input, io, none });
}
