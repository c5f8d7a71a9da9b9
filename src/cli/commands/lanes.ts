import { placeName } from "../../app/lanes/places.ts";
import { collectGarbage, removeLane, type RemovedPlace } from "../../app/lanes/remove-lanes.ts";
import { laneFolder, showLanes } from "../../app/lanes/show-lanes.ts";
import { dropUnproven, takeWork } from "../../app/lanes/take-work.ts";
import { printable } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import { lanesJson, lanesText, sizeText } from "../../format/lanes-text.ts";
import { listSome, plural } from "../../format/run-text.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** L-42: what there is of lanes, and of work that has not landed. */
export async function show(input: Input, io: Io): Promise<void> {
  const shown = await showLanes(caller(input, io));
  if (isJson(input)) printJson(io, lanesJson(shown));
  else await printPage(io, lanesText(shown));
}

/** A program cannot change the folder of its shell: the shell runs this line. */
export async function open(input: Input, io: Io): Promise<void> {
  io.out(`cd ${shellWord(await laneFolder(input.args[0]!, caller(input, io)))}\n`);
}

export async function take(input: Input, io: Io): Promise<void> {
  const { task, title, paths } = await takeWork(input.args[0]!, caller(input, io));
  io.out(
    printable(
      paths.length === 0
        ? `Your tree has all of the work of ${task} already\n`
        : `Took the unproven work of ${task} "${title}" into your tree: ${listSome(paths, 10)}\n`,
    ),
  );
}

export async function drop(input: Input, io: Io): Promise<void> {
  const { task, title, ref } = await dropUnproven(input.args[0]!, caller(input, io));
  const text = `The next session of ${task} "${title}" begins without its unproven work, which is ${ref}\n`;
  io.out(printable(text));
}

export async function rm(input: Input, io: Io): Promise<void> {
  io.out(removedText(await removeLane(input.args[0]!, caller(input, io))));
}

export async function gc(input: Input, io: Io): Promise<void> {
  const { places, work, lost } = await collectGarbage({ isLost: input.options["lost"] === true }, caller(input, io));
  const refs = (what: string, names: readonly string[]): string =>
    names.length === 0 ? "" : `Removed ${what}: ${listSome(names, 10)}\n`;
  const said = [
    ...places.map(removedText),
    refs(`the work of ${plural(work.length, "settled task")}`, work),
    refs("saved files older than 30 days", lost),
  ].join("");
  io.out(said === "" ? "There is nothing to remove\n" : said);
}

function removedText({ name, folder, size, saved }: RemovedPlace): string {
  const freed = size === undefined ? "" : ` (${sizeText(size)})`;
  const kept = saved === undefined ? "It had nothing that is not kept elsewhere" : `What only it had is ${saved}`;
  return printable(`Removed ${placeName({ name })}, ${folder}${freed}. ${kept}\n`);
}
