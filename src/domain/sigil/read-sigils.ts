import { echoedLines } from "./echo.ts";
import { type Line, linesOf, quotedPositions } from "./markdown.ts";

/** What the agent said in its final message, as far as it counts. */
export interface Sigils {
  /** The id of the task that is claimed to be done. */
  readonly done?: string;
  /** The id of the task that the agent gives up. */
  readonly failed?: string;
  /** The promised word. FAILURE wins over any other: an agent that gives up is not complete. */
  readonly promise?: string;
  /** The model that is recommended for the next iteration. */
  readonly nextModel?: string;
  /** Sigils that were written but do not count, as they stand in the message. */
  readonly quoted: readonly string[];
}

/** The promise that stops a run. */
export const FAILURE = "FAILURE";

/**
 * Reads the sigils that count from an agent's final message: alone on their line, or at the end of a line after a
 * finished sentence. Quoted ones (code, block quotes, the middle of a sentence, an echo of `prompt`) do not count.
 * Never throws; takes time linear in the length of both texts.
 */
export function readSigils(finalMessage: string, prompt = ""): Sigils {
  const found = findSigils(finalMessage);
  if (found.length === 0) return { quoted: [] };

  const quoted = quotedPositions(
    finalMessage,
    found.map(({ start }) => start),
  );
  const standing = new Set(linesWith(finalMessage, found).flatMap(({ line, sigils }) => standingSigils(line, sigils)));
  const candidates = found.filter((sigil) => standing.has(sigil) && !quoted.has(sigil.start));
  const echoed = echoedLines(
    finalMessage,
    prompt,
    candidates.map(({ start }) => start),
  );
  const counting = candidates.filter(({ start }) => !echoed.has(start));

  const taken = new Set(counting);
  const last = (tag: Tag): string | undefined => counting.findLast((sigil) => sigil.tag === tag)?.value;
  const hasFailure = counting.some(({ tag, value }) => tag === "promise" && value === FAILURE);
  return {
    ...present({
      done: last("task-done"),
      failed: last("task-failed"),
      promise: hasFailure ? FAILURE : last("promise"),
      nextModel: last("next-model"),
    }),
    quoted: found.filter((sigil) => !taken.has(sigil)).map(({ start, end }) => finalMessage.slice(start, end)),
  };
}

const TAGS = ["task-done", "task-failed", "promise", "next-model"] as const;

type Tag = (typeof TAGS)[number];

interface Sigil {
  readonly tag: Tag;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

// A value has no `<` in it, so that a start tag without an end costs no more than the way to the next tag.
const SIGIL = /<(task-done|task-failed|promise|next-model)>([^<]*)<\/\1>/g;

function findSigils(text: string): Sigil[] {
  // Nearly all messages have none at all, and this is how they are read fastest.
  if (!TAGS.some((tag) => text.includes(`<${tag}>`))) return [];
  return Array.from(text.matchAll(SIGIL), (match) => ({
    tag: match[1] as Tag,
    value: match[2]!.trim(),
    start: match.index,
    end: match.index + match[0].length,
  })).filter(({ value }) => value !== "");
}

interface LineWithSigils {
  readonly line: Line;
  readonly sigils: readonly Sigil[];
}

/** The lines that contain sigils. One that runs over the end of its line belongs to none: it is never alone on it. */
function linesWith(text: string, sigils: readonly Sigil[]): LineWithSigils[] {
  const result: { line: Line; sigils: Sigil[] }[] = [];
  let next = 0;
  for (const line of linesOf(text)) {
    const inside: Sigil[] = [];
    for (; next < sigils.length && sigils[next]!.start < line.end; next += 1) {
      if (sigils[next]!.end <= line.end) inside.push(sigils[next]!);
    }
    if (inside.length > 0) result.push({ line, sigils: inside });
    if (next === sigils.length) break;
  }
  return result;
}

/** The sigils at the end of a line that stand for themselves: nothing before them, or a finished sentence. */
function standingSigils({ text, start }: Line, sigils: readonly Sigil[]): readonly Sigil[] {
  const tail = text.slice(sigils.at(-1)!.end - start);
  if (!CLOSING.test(tail)) return [];
  let first = sigils.length - 1;
  while (first > 0 && isBlank(text.slice(sigils[first - 1]!.end - start, sigils[first]!.start - start))) first -= 1;
  const head = text.slice(0, sigils[first]!.start - start);
  return LEADING.test(head) || isFinished(head) ? sigils.slice(first) : [];
}

/** A list mark and emphasis, nothing else. */
const LEADING = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+){0,8}(?:\[[xX]\]\s+)?[*_]{0,6}$/;

/** The end of emphasis and of a sentence. */
const CLOSING = /^[*_]{0,6}[.!]*[*_]{0,6}\s*$/;

const isBlank = (text: string): boolean => text.trim() === "";

/** Whether a text before a sigil is a sentence of its own. Walks from the end: the text may be megabytes long. */
function isFinished(head: string): boolean {
  let end = head.length;
  while (end > 0 && /[\s*_]/.test(head[end - 1]!)) end -= 1;
  return end > 0 && ".!:".includes(head[end - 1]!);
}

const present = <T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
