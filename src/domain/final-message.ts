import type { AgentEvent } from "./agent-event.ts";

/** Only the end of a very long output is kept: claims are at the end. */
const MAX_BYTES = 1024 * 1024;

/**
 * Collects an agent's final message from its events as they come, in bounded memory.
 * P-10: all text that the agent itself says after its last tool result; for plain-text output that is all of it.
 * Tool output, thinking and the words of agents that it started are not its own. Texts that came separately are kept
 * apart by a blank line, so that one can neither finish nor quote the other.
 */
export function createFinalMessage() {
  const tail = createTailText(MAX_BYTES);
  let block: string | undefined;
  return {
    add: (event: AgentEvent): void => {
      if (isBoundary(event)) {
        tail.clear();
        block = undefined;
      }
      if (event.type !== "agent.text" || event.parent !== undefined || event.text === "") return;
      const isSame = event.block !== undefined && event.block === block;
      if (!tail.isEmpty() && !isSame) tail.add("\n\n");
      tail.add(event.text);
      block = event.block;
    },
    text: tail.text,
  };
}

/** A line that is too long is unknown content, most likely a tool's result. */
const isBoundary = (event: AgentEvent): boolean =>
  (event.type === "agent.tool-result" && event.parent === undefined) || event.type === "agent.long-line";

const FIRST_ROOM = 4096;
/** A UTF-16 unit takes three bytes at most. */
const UNIT_BYTES = 3;

/**
 * Keeps the end of a text in bounded memory, as bytes: strings that are kept for a while are costly to clear away, and
 * here a gigabyte may pass. A lone surrogate, which is no character, becomes U+FFFD.
 */
export function createTailText(mostBytes: number) {
  const encoder = new TextEncoder();
  let room = new Uint8Array(0);
  let length = 0;
  let isCut = false;
  const makeRoom = (more: number): void => {
    // Twice the size, so that moving is rare.
    if (length > mostBytes && length + more > 2 * mostBytes) {
      room.copyWithin(0, length - mostBytes, length);
      length = mostBytes;
      isCut = true;
    }
    if (length + more <= room.length) return;
    const larger = new Uint8Array(Math.max(FIRST_ROOM, 2 * room.length, length + more));
    larger.set(room.subarray(0, length));
    room = larger;
  };
  return {
    add: (text: string): void => {
      const end = text.slice(-mostBytes);
      isCut ||= end.length < text.length;
      makeRoom(end.length * UNIT_BYTES);
      length += encoder.encodeInto(end, room.subarray(length)).written;
    },
    clear: (): void => {
      length = 0;
      isCut = false;
    },
    isEmpty: (): boolean => length === 0,
    /** All of it; where that was too much, its end, from the first line that fits whole. */
    text: (): string => {
      const start = Math.max(0, length - mostBytes);
      const all = new TextDecoder("utf-8", { ignoreBOM: true }).decode(room.subarray(start, length));
      return isCut || start > 0 ? fromWholeLine(all) : all;
    },
  };
}

/** A single line is left as it is, but for half a character. */
function fromWholeLine(text: string): string {
  const lineEnd = text.indexOf("\n");
  return lineEnd < 0 || lineEnd === text.length - 1 ? text.replace(/^\ufffd+/, "") : text.slice(lineEnd + 1);
}
