import { UNKNOWN } from "../resolve/shell.ts";
import type { Project } from "../source.ts";
import { writingWord } from "./tool-flags.ts";

type CiOf = Pick<Project, "ci" | "reach">;

/** The first command of CI, run in the top folder, that begins like this, as it is written there; undefined: there is none. */
export const ciCommand = (project: CiOf, begin: RegExp): string | undefined =>
  project.ci
    .flatMap(({ steps }) => steps)
    .filter(({ folder }) => folder === "" || folder === ".")
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, " ").split("\n"))
    .map((line) => line.trim())
    .find((line) => isWhole(project, line, begin));

/** One command, of which all is known, and which changes nothing. */
function isWhole({ reach }: CiOf, line: string, begin: RegExp): boolean {
  if (/[&$]|^\w+=/.test(line)) return false;
  const [found] = reach(line);
  if (found?.isCertain !== true || found.folder !== "" || found.words.some((word) => word.includes(UNKNOWN)))
    return false;
  return begin.test(found.words.join(" ")) && writingWord(found.words) === undefined;
}

/** Whether CI runs such a command in the top folder. */
export const isInTopOfCi = ({ ci, reach }: CiOf, begin: RegExp): boolean =>
  ci
    .flatMap(({ steps }) => steps.filter(({ folder }) => folder === "" || folder === "."))
    .some(({ text }) => reach(text).some(({ words, folder }) => folder === "" && begin.test(words.join(" "))));

/** Whether CI runs such a command anywhere, also with parts that are known only there. */
export const isInCi = ({ ci, reach }: CiOf, begin: RegExp): boolean =>
  ci.some(({ steps }) => steps.some(({ text }) => reach(text).some(({ words }) => begin.test(words.join(" ")))));
