import { isReader, isRunOf, listedFiles } from "./shell-input.ts";

/** Stands in a word for a part that only the running shell knows, such as `$X`. */
export const UNKNOWN = "\0";

/** Commands whose last word names the variable of a list; `=`: an assignment. */
const NAMED_LAST = /^(?:read|mapfile|readarray|=)$/;
const VARIABLE = new RegExp(`${UNKNOWN}([A-Za-z_]\\w*)${UNKNOWN}`);

type Words = readonly string[];

interface Loop {
  readonly patterns: Words;
  /** Whether all commands that are given its variable only read the file. */
  isRead?: boolean;
}

/** The loops over files of one shell text. */
interface Loops {
  /** Remembers a loop. `listing`: the commands whose output it goes over. */
  readonly note: (command: Words, listing: readonly Words[]) => void;
  /** A command that runs the file of a loop's variable, as `. "$f"`, once for each pattern of the loop. */
  readonly each: (command: Words) => readonly Words[];
  /** Remembers what commands do with the variables of loops. `inner`: texts of `$(…)`; `files`: where output goes. */
  readonly use: (commands: readonly Words[], about: { readonly inner: Words; readonly files: Words }) => void;
  /** Whether a command is a loop whose files are only read: these are what is checked. */
  readonly isReading: (command: Words) => boolean;
}

/** Texts and data for people and programs. No test runner plays them, unless a command has its name. */
const DOCUMENT = /\.(?:md|mdx|rst|adoc|html?|css|scss|svg|xml|csv|tsv|txt|json|ya?ml|toml|png|jpe?g|gif|ico)$/i;
const PLAYER = /^(?:newman|artillery|k6|hurl|robot|ansible-playbook|docker|docker-compose)$/;

/** Whether a command may start the file that is its word at a place. */
function mayStart(command: Words, at: number, isDocument: boolean): boolean {
  const isGiven =
    isDocument && at > 0 && !/^(?:for|eval|export|exec|[gmn]?awk|sed|[ef]?grep|.*=.*)$/s.test(command[0] ?? "");
  return !isGiven || isRunOf(command, at) || command.some((word) => PLAYER.test(word));
}

/** `for f in checks/*.sh`, `for f in $(ls checks)`, `find checks -name "*.sh" | while read f`, `mapfile -t all < <(ls)`. */
export function loopsIn(variables: Map<string, string>): Loops {
  const loops = new Map<string, Loop>();
  const known = new Map<Words, Loop | undefined>();
  const see = (loop: Loop | undefined, isRead: boolean): void => {
    if (loop !== undefined) loop.isRead = isRead && loop.isRead !== false;
  };
  return {
    use(commands, { inner, files }) {
      const isKept = files.some((file) => file !== "/dev/null");
      for (const command of commands) {
        if (command[0] === "for") known.set(command, loops.get(command[1] ?? ""));
        const isReading = isReader(command);
        for (const [at, word] of command.entries()) {
          const loop = loops.get(VARIABLE.exec(word)?.[1] ?? "");
          if (loop === undefined || loop.isRead === false) continue;
          const isDocument = loop.patterns.every((one) => DOCUMENT.test(one));
          see(loop, !isKept && (isReading || !mayStart(command, at, isDocument)));
        }
      }
      for (const text of inner) {
        const isRead = isReader(text.trim().split(/\s+/)) && !/[|;&\n`]|\$\(/.test(text);
        for (const [, name = ""] of text.matchAll(/\$\{?(\w+)/g)) see(loops.get(name), isRead);
      }
    },
    isReading: (command) => known.get(command)?.isRead === true,
    note([name, ...args], listing) {
      const variable = name === "for" ? args[0] : NAMED_LAST.test(name ?? "") ? args.at(-1) : undefined;
      if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable)) return;
      const listed = (name === "for" ? args.slice(2) : []).flatMap(
        (word) => loops.get(VARIABLE.exec(word)?.[1] ?? "")?.patterns ?? word,
      );
      const words = [...listed, ...listing.flatMap((one) => listedFiles(one, true))];
      const patterns = words.filter((word) => /[*?[./]/.test(word) && !word.includes(UNKNOWN));
      if (patterns.length === 0) return;
      loops.set(variable, { patterns });
      variables.set(variable, UNKNOWN + variable + UNKNOWN);
    },
    each(command) {
      const at = command.findIndex((word) => VARIABLE.test(word));
      const word = command[at] ?? "";
      const patterns = loops.get(VARIABLE.exec(word)?.[1] ?? "")?.patterns;
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
