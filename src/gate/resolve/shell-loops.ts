import { isRunOf, listedFiles } from "./shell-input.ts";

/** Stands in a word for a part that only the running shell knows, such as `$X`. */
export const UNKNOWN = "\0";

/** Commands whose last word names the variable of a list; `=`: an assignment. */
const NAMED_LAST = /^(?:read|mapfile|readarray|=)$/;
const VARIABLE = new RegExp(`${UNKNOWN}([A-Za-z_]\\w*)${UNKNOWN}`);

type Words = readonly string[];

/** The loops over files of one shell text. */
interface Loops {
  /** Remembers a loop. `listing`: the commands whose output it goes over. */
  readonly note: (command: Words, listing: readonly Words[]) => void;
  /** A command that runs the file of a loop's variable, as `. "$f"`, once for each pattern of the loop. */
  readonly each: (command: Words) => readonly Words[];
}

/** `for f in checks/*.sh`, `for f in $(ls checks)`, `find checks -name "*.sh" | while read f`, `mapfile -t all < <(ls)`. */
export function loopsIn(variables: Map<string, string>): Loops {
  const loops = new Map<string, Words>();
  return {
    note([name, ...args], listing) {
      const variable = name === "for" ? args[0] : NAMED_LAST.test(name ?? "") ? args.at(-1) : undefined;
      if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable)) return;
      const listed = (name === "for" ? args.slice(2) : []).flatMap(
        (word) => loops.get(VARIABLE.exec(word)?.[1] ?? "") ?? word,
      );
      const words = [...listed, ...listing.flatMap((one) => listedFiles(one, true))];
      const patterns = words.filter((word) => /[*?[]/.test(word) && !word.includes(UNKNOWN));
      if (patterns.length === 0) return;
      loops.set(variable, patterns);
      variables.set(variable, UNKNOWN + variable + UNKNOWN);
    },
    each(command) {
      const at = command.findIndex((word) => VARIABLE.test(word));
      const word = command[at] ?? "";
      const patterns = loops.get(VARIABLE.exec(word)?.[1] ?? "");
      if (patterns === undefined || !isRunOf(command, at)) return [command];
      return patterns.map((pattern) =>
        command.with(
          at,
          word.replace(VARIABLE, () => pattern),
        ),
      );
    },
  };
}

/** `all=$(find checks)` as a command. */
export function assignmentIn(words: Words): Words {
  const variable = /^([A-Za-z_]\w*)=/.exec(words.at(-1) ?? "")?.[1];
  return variable === undefined ? [] : ["=", variable];
}
