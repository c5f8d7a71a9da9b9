import { isProduct } from "./product.ts";
import { fileLike } from "./files-like.ts";
import { moduleFiles } from "./python.ts";
import { pathIn, type Walk } from "./walk.ts";

/** Variables by which programs load a file, or read it as their configuration, before they do what they are told. */
const NAMES =
  "MAKEFILES|NODE_OPTIONS|node-options|BASH_ENV|ENV|RUBYOPT|PERL5OPT|PYTHONSTARTUP|LD_PRELOAD|TS_NODE_PROJECT|PYTEST_(?:ADDOPTS|PLUGINS)|(?:ESLINT|VITEST|JEST|MOCHA|PRETTIER|BABEL|DOTENV)_CONFIG(?:_FILE|_PATH)?|COVERAGE_RCFILE";
const IN_SHELL = new RegExp(String.raw`(?<![\w-])(?:${NAMES})\s*[+:?]?=\s*("[^"]*"|'[^']*'|[^\s;&|]+)`, "g");
const IN_FILE = new RegExp(String.raw`^[ \t]*(?:export[ \t]+)?(?:${NAMES})[ \t]*=([^\n]*)`, "gm");

const wordsIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, value = ""]) =>
    value
      .replaceAll(/["']/g, "")
      .split(/[\s=,:]+/)
      .filter((word) => /[./]/.test(word) && !word.startsWith("-")),
  );

/** The words that these variables have in a file of variables, such as `.env`. */
export const wordsOfVariables = (text: string): string[] => wordsIn(text, IN_FILE);

/** `MAKEFILES=x.mk make`: the files that the variables of a command name, also those that are not there yet. */
export async function decideVariables(walk: Walk, text: string, folder: string): Promise<void> {
  for (const word of wordsIn(text, IN_SHELL)) {
    const path = pathIn(folder, word);
    if (path === undefined || path === "" || isProduct(folder, path)) continue;
    const found = [path, ...moduleFiles(folder, word)];
    const files = await Promise.all(found.map(async (file) => await fileLike(walk, file)));
    const known = files.find((file) => file !== undefined)?.path ?? (/\.\w+$/.test(path) ? path : undefined);
    if (known !== undefined)
      walk.decide({ path: known, why: "a variable of the command names it", isDefinition: false });
  }
}
