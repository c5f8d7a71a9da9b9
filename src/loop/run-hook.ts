import { NO_PUSH } from "../system/git/clone-config.ts";
import { basename, join, relative } from "node:path";
import { RalphError } from "../domain/error.ts";
import { type Hook, hookCommand, type HookPoint } from "../domain/hook.ts";
import { fileName } from "../domain/file-name.ts";
import type { HookFinished } from "../domain/run/event.ts";
import { eventLine } from "../domain/run/event-line.ts";
import { type HookEvent, hookText, hookVariables, iterationOf, taskOf } from "../domain/run/hook-event.ts";
import { notifyRequest, type NotifyTarget } from "../domain/notify.ts";
import { SEVERAL } from "../domain/scope-name.ts";
import { describeEnd, namesInLine } from "../domain/verdict-report.ts";
import { makeUniqueFolder, writeOnce } from "../system/folder.ts";
import { partMarker } from "../system/process/marker.ts";
import { recordOutput } from "../system/output-file.ts";
import { postJson } from "../system/post-json.ts";
import { runShell } from "../system/process/shell-command.ts";
import { runHookSessions } from "./hook-session.ts";
import { iterationFolder } from "./naming.ts";
import { unlandedStarts } from "./own-files.ts";
import { hasScopes, type LaneState } from "./run-state.ts";

/** A hook that an event triggers. */
export interface DueHook {
  readonly hook: Hook;
  readonly point: HookPoint;
  readonly event: HookEvent;
  /** The head of the landing at the time of the event. */
  readonly head: string;
}

/** A hook that has started. `name` is part of the marker of its processes. */
export interface RunningHook extends DueHook {
  readonly folder: string;
  /** The folder of the event's iteration, or of the run. */
  readonly about: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

export type HookResult = Pick<
  HookFinished,
  "passed" | "reason" | "swept" | "costUsd" | "tokens" | "isEstimated" | "isCostPartial" | "output" | "patch"
>;

/** Runs one hook. It never throws: an error fails the hook, not the run. */
export async function runHook(lane: LaneState, due: DueHook): Promise<void> {
  const {
    deps,
    run: { hooks },
  } = lane;
  const { hook, point, event } = due;
  const iteration = iterationOf(event);
  const which = { ...(iteration !== undefined && { iteration }), hook: hook.id, point };
  const { parallel, work } = hook;
  deps.emit({ type: "hook.started", ...which, kind: work.kind, command: hookCommand(work), parallel });
  const about = iteration === undefined ? deps.folder : iterationFolder(lane.deps, iteration);
  hooks.started += 1;
  const name = `hook.${hooks.started}`;
  const signal = AbortSignal.any([deps.stop, hooks.end.signal]);
  const startedAt = performance.now();
  let folder = join(about, "hooks", fileName(hook.id));
  let result: HookResult;
  try {
    folder = await makeUniqueFolder(folder);
    result = await doWork(lane, { ...due, folder, about, name, signal });
  } catch (error) {
    result = { passed: false, reason: error instanceof RalphError ? error.message : String(error), output: "" };
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const finished = { ...which, ...result, durationMs, folder: relative(deps.root, folder) };
  record(folder, finished);
  deps.emit({ type: "hook.finished", ...finished });
}

/** Writes `result.json` of a hook. If that fails, the event still has everything. */
function record(folder: string, finished: Omit<HookFinished, "type">): void {
  try {
    writeOnce(join(folder, "result.json"), `${JSON.stringify({ v: 1, ...finished }, undefined, 2)}\n`);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
}

async function doWork(lane: LaneState, due: RunningHook): Promise<HookResult> {
  const { work } = due.hook;
  if (work.kind === "command") return await runCommand(lane, due, work.run);
  if (work.kind === "webhook") return await post(lane, due, work);
  const phases = work.kind === "prompt" ? [{ id: due.hook.id, prompt: work.prompt }] : work.phases;
  return await runHookSessions(lane, due, phases);
}

/** The most characters of a hook's output in an event. */
const LONGEST_OUTPUT = 4096;

/** Supervises the command like a gate. It receives the event in variables and on its standard input. */
async function runCommand(lane: LaneState, due: RunningHook, command: string): Promise<HookResult> {
  const { deps, place } = lane;
  const { hook, point, event, folder, about, name, signal } = due;
  const changed = await unlandedStarts(lane, due, command);
  if (changed.length > 0)
    return {
      passed: false,
      reason: `not started: it runs ${namesInLine(changed)}, and the session changed that`,
      output: "",
    };
  const { end, swept, output } = await runShell({
    command,
    folder: place.root,
    env: {
      ...deps.env,
      ...place.env,
      // A hook may be about the person's own tree, such as one that pushes the branch.
      RALPHCTL_WORKSPACE: deps.root,
      RALPHCTL_SCOPE: hasScopes(lane.run) && event.type.startsWith("run.") ? SEVERAL : deps.scope,
      ...hookVariables(event, { id: hook.id, point, folder: about, link: await linkOf(deps, event) }),
    },
    marker: partMarker(deps.runId, name),
    timeoutMs: hook.timeoutMs,
    input: { file: join(folder, "event.json"), text: `${JSON.stringify(await eventData(deps, due))}\n` },
    outputFile: join(folder, "output.log"),
    signal,
    kill: deps.kill,
  });
  const passed = end.kind === "exit" && end.code === 0;
  return {
    passed,
    ...(!passed && { reason: `${describeEnd(end)}${isRefusedPush(output) ? PUSH_HINT : ""}` }),
    ...(swept > 0 && { swept }),
    output: (output.tail || output.head).slice(-LONGEST_OUTPUT),
  };
}

/** L-02: a lane does not push, and git names where it would have to. */
const isRefusedPush = ({ head, tail }: { readonly head: string; readonly tail: string }): boolean =>
  `${head}${tail}`.includes(NO_PUSH.replace(/:.*/, ""));
const PUSH_HINT = `: a lane does not push, so begin the command with cd "$RALPHCTL_WORKSPACE" &&`;

/** The event as in `events.ndjson`, with the hook, its point and a sentence about the event. */
async function eventData(deps: LaneState["deps"], { hook, point, event }: RunningHook) {
  const {
    runId,
    hooks: { redact },
  } = deps;
  const line = JSON.parse(eventLine(event, { at: Date.now(), run: runId, redact })) as Readonly<
    Record<string, unknown>
  >;
  const link = await linkOf(deps, event);
  return { ...line, hook: hook.id, point, text: redact(hookText(event, point)), ...(link !== undefined && { link }) };
}

/** U-11: where a person can look at it. */
const linkOf = async ({ hooks }: LaneState["deps"], event: HookEvent): Promise<string | undefined> =>
  await hooks.link?.(taskOf(event)?.id);

/** Posts a message to a service. */
async function post({ deps }: LaneState, due: RunningHook, target: NotifyTarget): Promise<HookResult> {
  const { hook, folder, signal } = due;
  const title = basename(deps.root);
  const data = await eventData(deps, due);
  const text = [data.text, data.link].filter(Boolean).join(" ");
  const request = notifyRequest(target, { title, text, event: { workspace: title, ...data } });
  const answer = await postJson({ ...request, timeoutMs: hook.timeoutMs, signal });
  const body = answer.kind === "answered" ? answer.text : "";
  const output = (await recordOutput(join(folder, "answer.txt"), body)).head;
  if (answer.kind === "stopped") return { passed: false, reason: "stopped", output };
  if (answer.kind === "failed") return { passed: false, reason: answer.why, output };
  const passed = answer.status >= 200 && answer.status < 300;
  return { passed, ...(!passed && { reason: `the server answered ${answer.status}` }), output };
}
