import { resolve } from "node:path";
import { FLEET_VARIABLE } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { Surroundings } from "../workspace.ts";

/** The address as it was typed, or from the variable; `@FILE` is a file that holds it, out of sight of `ps`. */
export async function fleetAddress(
  typed: string | undefined,
  { cwd, env }: Pick<Surroundings, "cwd" | "env">,
): Promise<string> {
  const said = (typed ?? env[FLEET_VARIABLE] ?? "").trim();
  if (said === "") {
    throw new RalphError("usage", "Which PostgreSQL? No address is given", {
      hint: `Add it, postgres://USER@HOST/DATABASE, or set ${FLEET_VARIABLE}`,
    });
  }
  if (!said.startsWith("@")) return said;
  const path = resolve(cwd, said.slice(1));
  const text = await readTextFile(path, { limitBytes: 10_000, what: "the file with the address" });
  if (text !== undefined) return text.trim();
  throw new RalphError("usage", `There is no file ${path} with the address`, {
    hint: "Write the address into it, for your eyes only: chmod 600",
  });
}
