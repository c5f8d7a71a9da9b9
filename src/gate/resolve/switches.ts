import { withFewBlanks } from "../../domain/short-lines.ts";

/** A file or folder for which a script asks: `[ -f x ]`, `test ! -d x`. */
const ASKED = String.raw`(?:\[\[?|(?<![\w-])test)\s+(?:!\s+)?-[defsrx]\s+["']?([\w.][\w./-]*)["']?(?:\s*\]\]?)?\s*`;
/** Without it the script fails: then to make it is work. */
const FAILS = String.raw`\{?\s*(?:echo|printf|exit\s+[1-9$]|return\s+[1-9$]|false|die|fail|abort|err|warn|usage|>&2)`;
/** With it the script ends, goes on elsewhere, or has other settings. */
const TURNS = String.raw`\{?\s*(?:exit(?!\s+[1-9$])|return(?!\s+[1-9$])|continue|break|\w+=|\.\s|source\s|export\s|set\s)`;
const SWITCH = new RegExp(
  String.raw`${ASKED}(?:&&\s*${TURNS}|\|\|(?!\s*${FAILS})|;?\s*then\s+(?:(?!\b(?:fi|else|elif)\b)[\s\S]){0,200}?(?<![\w-])${TURNS})`,
  "g",
);

/** T-10: paths whose presence turns a shell script another way. A path that the script needs is none of them. */
export const switchesIn = (text: string): string[] =>
  [
    ...withFewBlanks(text)
      .replaceAll(/^[ \t]*#.*$/gm, "")
      .matchAll(SWITCH),
  ].map(([, path]) => path!);
