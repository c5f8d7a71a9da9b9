import type { GateAnswer, GateCheck, GateEnd, GateRun } from "../domain/gate.ts";
import { describeValue } from "../domain/describe-value.ts";
import { recordOutput } from "../system/output-file.ts";

export interface CheckCall {
  readonly check: GateCheck;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Takes what it says; if there is such a file already, one with a number. */
  readonly outputFile: string;
  readonly signal: AbortSignal;
}

/** Calls a gate that is a function. It cannot be stopped: after its timeout we stop waiting. */
export async function runCheck(call: CheckCall): Promise<GateRun> {
  const start = performance.now();
  const { end, output } = await answerOf(call);
  const durationMs = Math.round(performance.now() - start);
  return { end, durationMs, swept: 0, output: await recordOutput(call.outputFile, output) };
}

interface Ended {
  readonly end: GateEnd;
  readonly output: string;
}

async function answerOf({ check, folder, env, timeoutMs, signal }: CheckCall): Promise<Ended> {
  if (signal.aborted) return { end: { kind: "stopped" }, output: "" };
  const over = new AbortController();
  const ended = new Promise<Ended>((resolve) => {
    const timer = setTimeout(() => resolve({ end: { kind: "timeout", afterMs: timeoutMs }, output: "" }), timeoutMs);
    const onStop = (): void => resolve({ end: { kind: "stopped" }, output: "" });
    signal.addEventListener("abort", onStop, { signal: over.signal });
    over.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  try {
    return await Promise.race([ended, called(check, { folder, env, signal: over.signal })]);
  } finally {
    over.abort();
  }
}

async function called(check: GateCheck, place: Parameters<GateCheck>[0]): Promise<Ended> {
  try {
    const { passed, output = "" } = worded(await check(place));
    return { end: { kind: "exit", code: passed ? 0 : 1 }, output };
  } catch (error) {
    return {
      end: { kind: "exit", code: 1 },
      output: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

/** Only exactly true counts as passed, whatever an untyped program returns. */
function worded(answer: GateAnswer): { readonly passed: boolean; readonly output?: string } {
  const told: unknown = answer;
  if (typeof told === "boolean") return { passed: told };
  const { passed, output } = (told ?? {}) as { readonly passed?: unknown; readonly output?: unknown };
  if (typeof passed !== "boolean") {
    return {
      passed: false,
      output: `The check returned ${describeValue(told)} instead of true, false or { passed, output }`,
    };
  }
  return {
    passed,
    ...(output !== undefined && { output: typeof output === "string" ? output : JSON.stringify(output) }),
  };
}
