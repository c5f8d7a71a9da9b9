import { addContext } from "../app/context.ts";
import { askRun } from "../app/run/ask-run.ts";
import { choiceOf } from "../app/run/other-scopes.ts";
import { RalphError } from "../domain/error.ts";
import type { RunStarted } from "../domain/run/event.ts";
import type { Input } from "./command.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import type { Steering } from "./view/person-keys.ts";

export interface RunSteering extends Steering {
  /** Before it the run can be asked nothing. */
  readonly begin: (started: RunStarted) => void;
}

/** What the keys of a view ask of its run, in the ways in which another terminal would. */
export function runSteering(input: Input, io: Io): RunSteering {
  let run: RunStarted | undefined;
  const begun = (): RunStarted => {
    if (run !== undefined) return run;
    throw new RalphError("busy", "The run has not begun yet", { hint: "Wait a moment" });
  };
  const ask = async (request: Parameters<typeof askRun>[1]): Promise<void> => {
    const asked = await askRun(placeOf(begun(), io), request);
    if (asked === undefined) throw new RalphError("busy", "The run has ended", { hint: "Start another" });
  };
  return {
    begin: (started) => (run = started),
    pause: async () => await ask("pause"),
    resume: async () => await ask("resume"),
    stopAfter: async () => await ask("stop after"),
    addContext: async (text) => {
      const started = begun();
      const place = { ...loopSurroundings(input, io), cwd: placeOf(started, io) };
      return (await addContext(text, await choiceOf(started.scope, place), place)) !== undefined;
    },
  };
}

/** A workspace may be below the top of its working tree; a demo has one of its own, elsewhere. */
const placeOf = ({ folder }: RunStarted, { cwd }: Io): string => (`${cwd}/`.startsWith(`${folder}/`) ? cwd : folder);
