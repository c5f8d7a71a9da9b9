import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { shellWord } from "../src/domain/shell-word.ts";
import { type Started, startProcess } from "./control-process.ts";

/** Whether this machine can give a program a terminal of its own. */
export const hasTerminals = spawnSync("script", ["--version"]).status === 0;

/**
 * Starts a program at a terminal of its own, in which a test types by its standard input. The terminal outlives the
 * program until all of its output is here: `script` gives up ten milliseconds after its child's end, whether or not the
 * kernel has handed it the last lines by then.
 */
export function startAtTerminal(words: readonly string[], cwd = process.cwd()): Started {
  const mark = `over-${randomUUID()}`;
  const command = [
    // Without a size a question is written one letter a line.
    "stty rows 40 cols 120",
    // The keys are for the program. Caught and not ignored, because what is ignored is inherited.
    "trap : INT QUIT",
    words.map(shellWord).join(" "),
    "code=$?",
    "stty sane -echo",
    `echo ${mark}`,
    `while read -r line && test "$line" != ${mark}; do :; done`,
    "exit $code",
  ].join("\n");
  const started = startProcess("script", ["-qec", command, "/dev/null"], cwd);
  const seen = started.says(mark);
  return {
    ...started,
    output: () => started.output().split(mark)[0]!,
    ended: seen.then(
      async () => {
        started.child.stdin.write(`\n${mark}\n`);
        return await started.ended;
      },
      async () => await started.ended,
    ),
  };
}
