import type { Workspace } from "../workspace.ts";
import { checkHarnesses } from "./check-harnesses.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkFirstPrompt } from "./dry-run.ts";
import type { RunHost } from "./run.ts";
import type { RunRequest } from "./run-request.ts";

/** The agents of a run. Of several faults, a person hears of the prompt's first. `isIdle`: nobody will work. */
export async function checkAgents(
  request: RunRequest,
  workspace: Workspace,
  host: RunHost & { readonly isIdle: boolean },
): ReturnType<typeof checkHarnesses> {
  const agents = await checkHarnesses(workspace, host).catch(async (error: unknown) => {
    await checkFirstPrompt(request, host);
    throw error;
  });
  if (!host.isIdle) await checkPrograms(workspace, host);
  return agents;
}
