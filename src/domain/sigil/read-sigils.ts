import { validSigils, type SigilPlace } from "./valid-sigils.ts";

/** The sigils in the agent's final message that count. */
export interface Sigils {
  /** The id of the task that the agent claims is done. */
  readonly done?: string;
  /** All ids that it claims, if there are several (T-23). */
  readonly allDone?: readonly string[];
  /** The id of the task that the agent gives up on. */
  readonly failed?: string;
  /** The promised word. FAILURE wins over any other: an agent that gives up is not complete. */
  readonly promise?: string;
  /** The recommended model for the next iteration. */
  readonly nextModel?: string;
  /** Sigils in the message that do not count, verbatim. */
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

  // One that runs over the end of its line is not alone on it.
  const inLine = found.filter(({ start, end }) => !finalMessage.slice(start, end).includes("\n"));
  const counting = validSigils(finalMessage, prompt, inLine);

  const taken = new Set(counting);
  const last = (tag: Tag): string | undefined => counting.findLast((sigil) => sigil.tag === tag)?.value;
  const allDone = [...new Set(counting.filter(({ tag }) => tag === "task-done").map(({ value }) => value))];
  const hasFailure = counting.some(({ tag, value }) => tag === "promise" && value === FAILURE);
  return {
    ...present({
      done: last("task-done"),
      allDone: allDone.length > 1 ? allDone : undefined,
      failed: last("task-failed"),
      promise: hasFailure ? FAILURE : last("promise"),
      nextModel: last("next-model"),
    }),
    quoted: found.filter((sigil) => !taken.has(sigil)).map(({ start, end }) => finalMessage.slice(start, end)),
  };
}

const TAGS = ["task-done", "task-failed", "promise", "next-model"] as const;

type Tag = (typeof TAGS)[number];

interface Sigil extends SigilPlace {
  readonly tag: Tag;
  readonly value: string;
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

const present = <T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** What an agent said, without its sigils: they are for ralphctl, not for a reader. */
export const stripSigils = (text: string): string =>
  text
    .replaceAll(/<(task-done|task-failed|promise|next-model)>[^<]{0,200}<\/\1>/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
