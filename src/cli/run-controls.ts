import { addContext } from "../app/context.ts";
import { choiceOf } from "../app/run/other-scopes.ts";
import { sendRunRequest } from "../app/run/send-request.ts";
import { RalphError } from "../domain/error.ts";
import type { RunEvent, RunStarted } from "../domain/run/event.ts";
import { scopesOfRun, withChangeOf } from "../domain/run/ready-changes.ts";
import type { Input } from "./command.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import type { RunControls } from "./view/key-handler.ts";

/** Controls a run from a view, the way a command in another terminal would. `hear` comes first, with `run.started`. */
export interface OpenRunControls extends RunControls {
  readonly hear: (event: RunEvent) => void;
}

/** `placeOf`: a folder in the working tree and the workspace of the run. */
export function createRunControls(input: Input, io: Io, placeOf: (started: RunStarted) => string): OpenRunControls {
  let run: RunStarted | undefined;
  const begun = (): RunStarted => {
    if (run !== undefined) return run;
    throw new RalphError("busy", "The run has not started yet", { hint: "Wait a moment" });
  };
  const ask = async (request: Parameters<typeof sendRunRequest>[1]): Promise<void> => {
    const asked = await sendRunRequest({ cwd: placeOf(begun()), env: io.env }, request, begun().run);
    if (asked === undefined) throw new RalphError("busy", "The run has ended", { hint: "Start another" });
  };
  return {
    hear: (event) => {
      if (event.type === "run.started") run = event;
      if (event.type === "iteration.started") run = run && withChangeOf(run, event);
    },
    pause: async () => await ask("pause"),
    resume: async () => await ask("resume"),
    stopAfter: async () => await ask("stop after"),
    addContext: async (text) => {
      const started = begun();
      const place = { ...loopSurroundings(input, io), cwd: placeOf(started) };
      const scopes = scopesOfRun(started);
      for (const key of scopes) {
        if ((await addContext(text, await choiceOf(key, place), place)) === undefined) return false;
      }
      return true;
    },
  };
}
