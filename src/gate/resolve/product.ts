import { posix } from "node:path";
import { isProduct } from "./product-name.ts";
import { below, pathIn, type Walk } from "./walk.ts";

export { isProduct } from "./product-name.ts";

/** Code that loads files whose names it computes. */
const LOADS =
  /\b(?:require|import)\(\s*(?:[^"'`\s)]|["'][^"'\n]*["']\s*\+|`[^`\n]*\$\{)|\bimport_module\(|\b__import__\(/;
/** Folders of checks by their names. What other folders hold may be what is checked, such as plugins. */
const CHECKS =
  /(?:^|\/)(?:rules?|check(?:er)?s?|validat(?:or|ion)s?|assertions?|lint(?:er)?s?|specs?|tests?|cases|scenarios?|matchers?|polic(?:y|ies)|audits?|gates?)$/i;
const FOLDER = /["'`](\.{0,2}\/?[\w-]+(?:\/[\w-]+)*)\/?["'`]/g;
const MOST = 50;

interface Loading {
  readonly text: string;
  readonly path: string;
  /** Where the command runs. */
  readonly folder: string;
}

/** T-10: the code in folders of checks that a check names and then loads file by file. A new file in them is one more check. */
export async function decideLoaded(walk: Walk, { text, path, folder }: Loading): Promise<void> {
  if (!LOADS.test(text)) return;
  const words = new Set([...text.matchAll(FOLDER)].map(([, word]) => word!));
  for (const word of [...words].slice(0, MOST)) {
    const named = [pathIn(folder, word), pathIn(posix.dirname(path), word)];
    for (const at of new Set(named)) {
      if (at === undefined || at === "" || !CHECKS.test(at) || isProduct(folder, `${at}/x`)) continue;
      for (const name of (await walk.look.names(at)).filter((one) => /\.(?:[cm]?[jt]s|py|rb)$/.test(one)))
        walk.decide({ path: below(at, name), why: `${path} loads the files of ${at}`, isDefinition: false });
    }
  }
}
