import { randomUUID } from "node:crypto";

/** What a scripted model answers to one request. */
export interface Step {
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** What the answer says it took; `TOKENS` where it is not the subject. */
  readonly tokens?: typeof TOKENS;
  /** Instead of an answer. */
  readonly error?: Failure;
  /** No answer ever comes. */
  readonly hangs?: true;
  /** The connection ends in the middle of the answer. */
  readonly breaksOff?: true;
  /** The answer ends because it has as many tokens as one may have. */
  readonly isTooLong?: true;
}

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Failure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An answer in one of the wire formats: as events of a stream, and whole for who does not stream. */
export interface WireAnswer {
  readonly stream: readonly string[];
  readonly whole: unknown;
}

/** Makes an answer of a step, for the model that was asked. */
export type Wire = (step: Step, model: string) => WireAnswer;

export const TOKENS = { input: 1000, output: 50 };

export const newId = (prefix: string): string => prefix + randomUUID().replaceAll("-", "").slice(0, 24);

/** A text in pieces, as models send it: sigils are cut in the middle. */
export function pieces(text: string, size = 12): string[] {
  return Array.from({ length: Math.max(1, Math.ceil(text.length / size)) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

export const dataEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** An event with what belongs to its type. */
export interface WireEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

export const namedEvent = (data: WireEvent): string => `event: ${data.type}\n${dataEvent(data)}`;
