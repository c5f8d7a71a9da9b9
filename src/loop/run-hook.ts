import { basename, join, relative } from "node:path";
import { RalphError } from "../domain/error.ts";
import { type Hook, hookCommand, type HookPoint } from "../domain/hook.ts";
import { fileName } from "../domain/file-name.ts";
import type { HookFinished } from "../domain/run/event.ts";
import { eventLine } from "../domain/run/event-line.ts";
import { type HookEvent, hookText, hookVariables, iterationOf } from "../domain/run/hook-event.ts";
import { describeEnd } from "../domain/verdict-report.ts";
import { makeUniqueFolder, writeOnce } from "../system/folder.ts";
import { MARKER } from "../system/process/marker.ts";
import { recordOutput } from "../system/output-file.ts";
import { postJson } from "../system/post-json.ts";
import { runShell } from "../system/process/shell-command.ts";
import { runHookSessions } from "./hook-session.ts";
import { iterationFolder } from "./naming.ts";
import type { LaneState } from "./run-state.ts";

/** A hook whose moment has come. */
export interface DueHook {
  readonly hook: Hook;
  readonly point: HookPoint;
  readonly event: HookEvent;
  /** HEAD at that moment: the settled commit. */
  readonly head: string | undefined;
}

/** The same while it runs: where its things lie, and by what its processes are found. */
export interface RunningHook extends DueHook {
  readonly folder: string;
  /** What it is about: the iteration's folder, or the run's. */
  readonly about: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** What came of a hook, beside how long it took. */
export type HookResult = Pick<
  HookFinished,
  "passed" | "reason" | "swept" | "costUsd" | "tokens" | "isEstimated" | "output" | "patch"
>;

/** One hook from start to end. It never throws: whatever goes wrong is the hook's failure, not the run's. */
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
    result = { passed: false, reason: whatWentWrong(error), output: "" };
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const finished = { ...which, ...result, durationMs, folder: relative(deps.root, folder) };
  record(folder, finished);
  deps.emit({ type: "hook.finished", ...finished });
}

const whatWentWrong = (error: unknown): string => (error instanceof RalphError ? error.message : String(error));

/** `result.json` of a hook. Where that cannot be written, the event has it all. */
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
  if (work.kind === "webhook") return await post(lane, due, work.url);
  const phases = work.kind === "prompt" ? [{ id: due.hook.id, prompt: work.prompt }] : work.phases;
  return await runHookSessions(lane, due, phases);
}

/** How much of an output an event carries. */
const LONGEST_OUTPUT = 4096;

/** A command, under the same supervision as a gate. What happened reaches it by variables and on its standard input. */
async function runCommand({ deps }: LaneState, due: RunningHook, command: string): Promise<HookResult> {
  const { hook, point, event, folder, about, name, signal } = due;
  const inputFile = join(folder, "event.json");
  writeOnce(inputFile, eventText(deps, due));
  const { end, swept, output } = await runShell({
    command,
    folder: deps.root,
    env: { ...deps.env, ...hookVariables(event, { id: hook.id, point, folder: about }) },
    marker: { name: MARKER, value: `${deps.runId}.${name}` },
    timeoutMs: hook.timeoutMs,
    inputFile,
    outputFile: join(folder, "output.log"),
    signal,
    kill: deps.kill,
  });
  const passed = end.kind === "exit" && end.code === 0;
  return {
    passed,
    ...(!passed && { reason: describeEnd(end) }),
    ...(swept > 0 && { swept }),
    output: (output.tail || output.head).slice(-LONGEST_OUTPUT),
  };
}

/** The event as it is in `events.ndjson`, and why the hook runs. */
function eventText({ runId, hooks: { redact } }: LaneState["deps"], { hook, point, event }: RunningHook): string {
  const line = JSON.parse(eventLine(event, { at: Date.now(), run: runId, redact })) as Readonly<
    Record<string, unknown>
  >;
  return `${JSON.stringify({ ...line, hook: hook.id, point, text: redact(hookText(event, point)) })}\n`;
}

/** A message as Slack takes it, and whoever else takes what Slack does. */
async function post({ deps }: LaneState, due: RunningHook, url: string): Promise<HookResult> {
  const { hook, point, event, folder, signal } = due;
  const text = `${basename(deps.root)}: ${deps.hooks.redact(hookText(event, point))}`;
  const answer = await postJson({ url, body: { text: withoutCalls(text) }, timeoutMs: hook.timeoutMs, signal });
  const said = answer.kind === "answered" ? answer.text : "";
  const output = (await recordOutput(join(folder, "answer.txt"), said)).head;
  if (answer.kind === "stopped") return { passed: false, reason: "stopped", output };
  if (answer.kind === "failed") return { passed: false, reason: answer.why, output };
  const passed = answer.status >= 200 && answer.status < 300;
  return { passed, ...(!passed && { reason: `the server answered ${answer.status}` }), output };
}

/** Titles are anybody's text: one must not be able to call a whole channel. */
const withoutCalls = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
