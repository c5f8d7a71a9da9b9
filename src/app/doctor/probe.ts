import { join } from "node:path";
import type { AgentOutcome } from "../../domain/agent-event.ts";
import { harnessFailure } from "../../domain/run/interpret.ts";
import { readOwnFiles, type Session } from "../../harness/harness.ts";
import { runAgent } from "../../system/process/agent-process.ts";
import { makeFolder } from "../../system/folder.ts";
import { MARKER } from "../../system/process/marker.ts";
import { randomUuid } from "../../system/random-name.ts";
import { whyNoAnswer } from "../../system/process/ask-server.ts";
import { inTemporaryFolder } from "../../system/temporary-folder.ts";
import { ownTextsInLanes } from "../own-texts.ts";
import type { ReadyHarness } from "../run/check-harnesses.ts";
import type { CheckHost } from "../run/checks.ts";
import type { Workspace } from "../workspace.ts";
import { type Finding, ok, refused, warning } from "./finding.ts";

/** Enough for a short answer. */
const LIMITS = { inactivityMs: 60_000, wallMs: 120_000, graceMs: 5000, patienceMs: 10_000 };
const PROMPT = "Answer with the single word ok. Use no tools.";
const CHECK = "harness";

export interface ProbeHost extends Pick<CheckHost, "env" | "stop" | "kill" | "self"> {
  readonly isRoot: boolean;
}

const SERVER_MS = 10_000;

/** Starts the servers of tools that a session would start, and names those that do not answer. */
export async function probeServers(workspace: Workspace, ready: ReadyHarness, host: ProbeHost): Promise<Finding[]> {
  const { harness, settings } = ready;
  const { root: cwd } = workspace;
  const own = await ownTextsInLanes(workspace, ready, host.env);
  const asking = { cwd, env: { ...host.env, ...settings.env }, timeoutMs: SERVER_MS, signal: host.stop };
  const asked = (harness.servers?.({ own, settings, cwd }) ?? []).map(async (server) => {
    const why = await whyNoAnswer(server, asking);
    const what = `The MCP server ${server.name} of ${harness.facts.title}`;
    if (why === undefined) return ok(CHECK, `${what} answers`);
    const fix = "Repair it, or take it out of the agent's configuration: each session may wait for it";
    return warning(CHECK, `${what} does not answer: ${why}`, fix);
  });
  return await Promise.all(asked);
}

/** Sends an agent a short prompt in an empty folder. Our own test agents are skipped. */
export async function probeHarness(ready: ReadyHarness, host: ProbeHost): Promise<Finding[]> {
  const { harness, settings, name } = ready;
  if (name === "scripted" || name === "replay") return [];
  try {
    const outcome = await inTemporaryFolder("probe", async (folder) => {
      const cwd = join(folder, "work");
      await makeFolder(cwd);
      const session: Session = {
        prompt: PROMPT,
        systemPrompt: "",
        model: settings.model ?? undefined,
        cwd,
        folder,
        sessionId: harness.facts.takesSessionId ? randomUuid() : undefined,
        settings,
        own: await readOwnFiles(harness, { env: host.env, cwd, settings }),
        isRoot: host.isRoot,
        self: host.self,
      };
      const result = await runAgent({
        command: harness.start(session),
        reader: harness.reader(session),
        stopOrder: harness.facts.stopOrder,
        cwd,
        env: host.env,
        marker: { name: MARKER, value: `probe.${randomUuid()}` },
        limits: LIMITS,
        transcript: join(folder, "transcript.ndjson"),
        stderr: join(folder, "stderr.log"),
        onEvent: () => undefined,
        signal: host.stop,
        kill: host.kill,
      });
      return result.outcome;
    });
    return [findingOf(ready, outcome)];
  } catch (error) {
    return [refused(CHECK, error)];
  }
}

function findingOf({ name, harness: { facts }, settings }: ReadyHarness, outcome: AgentOutcome): Finding {
  const title = facts.program === undefined ? `The harness ${name}` : facts.title;
  if (outcome.kind === "done") return ok(CHECK, `${title} answered a test prompt`);
  if (outcome.kind === "login") {
    const fix = facts.login ?? "Log in to it";
    return { level: "problem", check: CHECK, message: `${title} is not logged in: ${outcome.message}`, fix };
  }
  if (outcome.kind === "model") {
    const message = `${title} cannot use its model: ${outcome.message}`;
    return {
      level: "problem",
      check: CHECK,
      message,
      fix: `Correct harnesses.${name}.model, or the settings of the agent itself`,
    };
  }
  if (outcome.kind === "limit" && outcome.limit !== "billing") {
    const message = `${title} is logged in, but has reached a usage limit: ${outcome.message}`;
    return warning(CHECK, message, "Wait until it resets; a run waits automatically");
  }
  const command = settings.run ?? settings.bin ?? facts.program;
  const fix = outcome.kind === "limit" ? "Add credit to its account" : `Run it yourself to see why: ${command}`;
  return { level: "problem", check: CHECK, message: `${title} did not answer: ${harnessFailure(outcome)}`, fix };
}
