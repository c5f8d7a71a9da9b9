import { printableLine } from "../domain/printable.ts";
import type { EventOf, RunEvent } from "../domain/run/event.ts";
import { agentText, plural, durationText, formatNumber, sessionText, truncate } from "./run-text.ts";

const RESULT_LINES = 20;
/** Longer lines are shown in parts. */
const LONGEST_PIECE = 4096;

/** A line of an agent's text or thinking. */
export interface AgentTextLine {
  readonly text: string;
  readonly indent: string;
  readonly isThought: boolean;
  /** First line of its text. */
  readonly isFirst: boolean;
  /** Last line of its text. */
  readonly isLast: boolean;
}

/** A line of which more may come. */
interface Piece extends AgentTextLine {
  readonly block: string;
}

type Shown = string | AgentTextLine;

/**
 * Joins text that arrives in parts into whole lines. The part after the last line break waits for the next part or for
 * another event.
 */
export function createTextPieces(): (event: RunEvent, others: readonly string[], verbose: boolean) => Shown[] {
  let open: Piece | undefined;
  const close = (): Shown[] => {
    const last = open;
    open = undefined;
    return last === undefined || last.text === "" ? [] : [last];
  };
  return (event, others, verbose) => {
    const isText = event.type === "agent.text" || (event.type === "agent.thinking" && verbose);
    if (!isText) return others.length > 0 || isEnd(event) ? [...close(), ...others] : [];
    const { block, text, parent } = event;
    const isThought = event.type === "agent.thinking";
    const isSame = block !== undefined && open?.block === block && open.isThought === isThought;
    const before = isSame ? [] : close();
    const indent = parent === undefined ? "  " : "      ";
    const lines = `${open?.text ?? ""}${text}`.split("\n");
    const isBegun = isSame && open?.isFirst === false;
    const rest = block === undefined || lines.at(-1)!.length > LONGEST_PIECE ? "" : lines.pop()!;
    const shown = block === undefined ? withoutBlankEnds(lines) : lines;
    const isFirst = !isBegun && shown.length === 0;
    open = block === undefined ? undefined : { block, indent, isThought, text: rest, isFirst, isLast: true };
    return [
      ...before,
      ...shown.map((line, index) => ({
        indent,
        isThought,
        text: line,
        isFirst: !isBegun && index === 0,
        isLast: block === undefined && index === shown.length - 1,
      })),
    ];
  };
}

const isEnd = ({ type }: RunEvent): boolean => type === "agent.ended" || type === "run.finished";

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

export interface LineView {
  readonly verbose: boolean;
  /** Where our own long lines are truncated. */
  readonly width: number;
  readonly clock: (ms: number) => string;
}

/** How an event of each of these types is shown. */
export type LineTable<Type extends RunEvent["type"], View> = {
  readonly [Each in Type]: (event: EventOf<Each>, view: View) => string[];
};

const nothing = (): string[] => [];

/** Agent events. Texts arrive in parts and are joined by `createTextPieces`. */
export const AGENT_LINES: LineTable<Extract<RunEvent["type"], `agent.${string}`>, LineView> = {
  "agent.text": nothing,
  "agent.thinking": nothing,
  "agent.tool": ({ name, input, parent }, { width }) => [
    truncate(`${parent === undefined ? "  " : "      "}> ${printableLine(`${name} ${input}`)}`, width),
  ],
  "agent.tool-result": (event, { verbose }) => (verbose ? resultLines(event) : []),
  "agent.session": (event, { verbose }) => (verbose ? [`  Session ${sessionFacts(event)}`] : []),
  "agent.usage": nothing,
  "agent.cost": nothing,
  "agent.retry": (event, { width }) => [truncate(`  ${retryText(event)}`, width)],
  "agent.limit-warning": (event, { clock }) => [`  ${limitText(event, clock)}`],
  "agent.notice": ({ text }, { verbose }) => (verbose ? [`  ${printableLine(text)}`] : []),
  "agent.refused": ({ access, path }, { width }) => [
    truncate(`  Sandbox: it may not ${access} ${printableLine(path)}`, width),
  ],
  "agent.long-line": ({ bytes, file, offset }) => [
    `  Skipped a line of ${formatNumber(bytes)} bytes, which is too long to read: it is in ${printableLine(file)}, after ${formatNumber(offset)} bytes`,
  ],
  "agent.unknown": ({ lines, example }, { verbose, width }) =>
    verbose ? [truncate(`  Unknown output: ${plural(lines, "line")}, such as ${printableLine(example)}`, width)] : [],
  "agent.ended": ({ outcome }) => {
    const text = sessionText(outcome);
    return text === undefined ? [] : [`  ${printableLine(text)}`];
  },
};

function resultLines({ ok, output }: EventOf<"agent.tool-result">): string[] {
  const lines = output.trimEnd().split("\n");
  const more = lines.length - RESULT_LINES;
  return [
    ...(ok ? [] : ["    | failed:"]),
    ...(output.trim() === "" ? [] : lines.slice(0, RESULT_LINES).map((line) => `    | ${line}`)),
    ...(more > 0 ? [`    | … ${plural(more, "more line")}`] : []),
  ];
}

function sessionFacts({ sessionId, model, version }: EventOf<"agent.session">): string {
  const agent = agentText(model ?? "unknown model", version === undefined ? undefined : `version ${version}`);
  return sessionId === undefined ? agent : `${printableLine(sessionId)} · ${agent}`;
}

function retryText({ attempt, of, delayMs, reason }: EventOf<"agent.retry">): string {
  const which = attempt === undefined ? "" : ` (${attempt}${of === undefined ? "" : ` of ${of}`})`;
  const when = delayMs === undefined ? "" : ` in ${durationText(delayMs)}`;
  return `The agent retries its request${which}${when}: ${printableLine(reason)}`;
}

function limitText(
  { kind, utilization, resetsAtMs }: EventOf<"agent.limit-warning">,
  clock: (ms: number) => string,
): string {
  const used = utilization === undefined ? "" : `, ${Math.round(utilization * 100)}% used`;
  const resets = resetsAtMs === undefined ? "" : `, resets at ${clock(resetsAtMs)}`;
  return `The usage limit ${printableLine(kind)} is close${used}${resets}`;
}
