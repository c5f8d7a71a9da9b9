import { assemblePrompt } from "../src/domain/prompt/ralph-prompt.ts";
import { textOf } from "../src/domain/prompt/section.ts";
import { readSigils } from "../src/domain/sigil/read-sigils.ts";
import type { Print } from "./all.ts";
import { row, timed } from "./measure.ts";

const MEGABYTE = 1024 * 1024;
const LINE = "The quick brown fox jumps over the lazy dog; `npm test` passes, **all** of it.\n";
const text = LINE.repeat(Math.ceil(MEGABYTE / LINE.length)).slice(0, MEGABYTE);

/** Assembly against copying the same bytes; sigil reading against indexOf over the same text. */
export function benchPrompts(print: Print): void {
  const copy = timed(21, () => Buffer.from(`${text}.`).length);
  const assembly = timed(
    21,
    () =>
      Buffer.from(
        textOf(assemblePrompt({ iteration: 1, contextContent: text, body: [{ name: "prompt", text: "Go." }] })),
      ).length,
  );
  print(
    row(
      "assemble a prompt with 1 MB of context",
      `${assembly.toFixed(2)} ms`,
      `${(assembly / copy).toFixed(1)} x copying it`,
    ),
  );

  const claim = "\n<task-done>t-1</task-done>\n";
  const cases: Record<string, readonly [message: string, prompt: string]> = {
    "read sigils: 1 MB, none in it": [text, ""],
    "read sigils: 1 MB, one claim": [text + claim, ""],
    "read sigils: 1 MB, one claim, 1 MB prompt": [text + claim, text],
    "read sigils: 1 MB of quoted sigils": [`I said ${claim.trim()} before.\n`.repeat(26_000).slice(0, MEGABYTE), ""],
  };
  for (const [name, [message, prompt]] of Object.entries(cases)) {
    const bare = timed(21, () => message.indexOf("<no-such-tag>"));
    const own = timed(21, () => readSigils(message, prompt));
    const speed = (message.length / MEGABYTE / own) * 1000;
    print(row(name, `${own.toFixed(2)} ms`, `${speed.toFixed(0)} MB/s`, `${(own / bare).toFixed(1)} x indexOf`));
  }
}
