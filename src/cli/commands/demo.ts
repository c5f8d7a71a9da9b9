import { playDemo } from "../../app/demo.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Input } from "../command.ts";
import { codeAfterRun } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { openRunOutput } from "../run-output.ts";

const INTRODUCTION = `A complete run on a small repository: a spec, a failing test, and a scripted agent.
The agent plans, then claims to be done without having done anything. ralphctl checks, and rejects the claim.

`;

/** Plays a complete run in a temporary repository. */
export async function run(input: Input, io: Io): Promise<number> {
  const talk = input.options["json"] === true ? io.err : io.out;
  talk(INTRODUCTION);
  const output = await openRunOutput(input, io);
  const { folder, finished, isOnPath } = await playDemo(output.host).finally(output.close);
  output.end(finished);
  talk(`
The repository is kept, so that you can look around:
  cd ${folder}
  git log --stat            what was committed, and for which task
  ralphctl task list        the state of each task
  ralphctl lanes            where the agent worked
  ls .ralph/runs/*/*        every prompt, transcript and verdict
`);
  // In a fresh clone it is not installed yet.
  if (!isOnPath) talk(`\nralphctl is not on your PATH yet. Until then, run: ${io.self.map(shellWord).join(" ")}\n`);
  return codeAfterRun(finished.ending);
}
