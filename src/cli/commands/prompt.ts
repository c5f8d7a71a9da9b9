import { showPrompt } from "../../app/prompt.ts";
import { showSprintPrompt } from "../../app/sprint-prompt.ts";
import { RalphError } from "../../domain/error.ts";
import { SPRINT_MODES, type SprintMode } from "../../domain/prompt/sprint.ts";
import type { Input } from "../command.ts";
import { countOption, scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { printPrompt, type SentView } from "../prompt-view.ts";

/** Prints the prompt that an agent would get, and starts nothing. */
export async function run(input: Input, io: Io): Promise<void> {
  const mode = input.args[0] ?? "build";
  const view = isSprintMode(mode) ? await sprintView(mode, input, io) : await loopView(mode as LoopMode, input, io);
  printPrompt(view, input, io);
}

type LoopMode = "plan" | "build";

const isSprintMode = (mode: string): mode is SprintMode => (SPRINT_MODES as readonly string[]).includes(mode);

async function loopView(mode: LoopMode, input: Input, io: Io): Promise<SentView> {
  const scope = scopeChoice(input);
  if (scope.sprint !== undefined) {
    throw new RalphError("usage", `A sprint has no ${mode} prompt`, {
      hint: `Use one of its modes: ralphctl prompt ${SPRINT_MODES.join("|")} --sprint ${scope.sprint}`,
    });
  }
  const iteration = countOption(input, "iteration") ?? 1;
  return { mode, ...(await showPrompt({ mode, scope, iteration }, surroundings(input, io))) };
}

async function sprintView(mode: SprintMode, input: Input, io: Io): Promise<SentView> {
  const { sprint, ...others } = scopeChoice(input);
  if (sprint === undefined || Object.values(others).some((value) => value !== undefined)) {
    throw new RalphError("usage", `The ${mode} prompt needs a sprint`, {
      hint: `Run ralphctl prompt ${mode} --sprint DIR --iteration 1`,
    });
  }
  const iteration = countOption(input, "iteration") ?? 1;
  const text = await showSprintPrompt({ mode, directory: sprint, iteration }, surroundings(input, io));
  return { mode, system: undefined, sections: [{ name: "sprint", text }], warnings: [] };
}
