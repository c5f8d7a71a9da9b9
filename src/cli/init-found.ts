import type { InitPlan } from "../app/init.ts";
import { databasesIn, importFound } from "../app/init-found.ts";
import { printable } from "../domain/printable.ts";
import type { Input } from "./command.ts";
import { caller } from "./flags.ts";
import { foundLines } from "../format/found-lines.ts";
import type { Io } from "./io.ts";

/** Says what was there and how it is used, and imports tasks of other tools once. */
export async function tellFound(
  { plan: { found, root }, asks }: { readonly plan: InitPlan; readonly asks: boolean },
  input: Input,
  io: Io,
): Promise<void> {
  if (found.length === 0) return;
  const files = databasesIn(found);
  const told = found.filter(({ database }) => database === undefined);
  if (told.length > 0) io.out(`\n${foundLines(told).join("\n")}\n`);
  for (const file of files) {
    const question = `Import the open tasks of ${file.database.tool} (${file.name})?`;
    const isWanted = !asks || (await io.confirm(question));
    const sentence = isWanted
      ? await importFound(file, { ...caller(input, io), cwd: root })
      : `Not imported: ${file.name}. To import it later: ralphctl task import ${file.name}`;
    io.out(printable(`${sentence}\n`));
  }
  io.out("\n");
}
