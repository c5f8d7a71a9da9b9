import { describe, expect, test } from "vitest";
import type { Palette } from "./palette.ts";
import { styleText } from "./page-styles.ts";

const names = [
  "plain",
  "strong",
  "faint",
  "heading",
  "code",
  "emphasis",
  "good",
  "bad",
  "attention",
  "cursor",
] as const;
/** Writes the names of styles into the text. */
const palette = Object.fromEntries(
  names.map((name) => [name, (text: string) => (name === "plain" ? text : `<${name}>${text}</${name}>`)]),
) as unknown as Palette;
const page = (text: string, width = 60): string => styleText("page", text, { palette, width });

describe("pages", () => {
  test("E-05 headings, labels, states, ids and commands stand out, and everything else is as it was", () => {
    expect(
      page(
        "Tasks\n  1 ready\n\nLast run\n  Ended     just now\n\nt-48e44ae4  done  p2  Hello\nok       Node 20\nproblem  No agent\n         Install one\n\nNext:\n  ralphctl run  work on the ready tasks\n",
      ),
    ).toBe(
      "<strong>Tasks</strong>\n  1 ready\n\n<strong>Last run</strong>\n  <faint>Ended</faint>     just now\n\n" +
        "<code>t-48e44ae4</code>  <good>done</good>  p2  Hello\n<good>ok</good>       Node 20\n<bad>problem</bad>  No agent\n" +
        "         Install one\n\n<strong>Next:</strong>\n  <code>ralphctl run</code>  work on the ready tasks\n",
    );
  });

  test("E-05 how something ended is told by its colour", () => {
    const text =
      "Verified: 1 gate passed\nNot verified: 1 of 1 gates failed\nGate test: ok · 0.1s\nGate test: FAILED, exit code 1\n    | no\n";
    expect(page(text)).toBe(
      "<good>Verified: 1 gate passed</good>\n<bad>Not verified: 1 of 1 gates failed</bad>\n<good>Gate test: ok · 0.1s</good>\n" +
        "<bad>Gate test: FAILED, exit code 1</bad>\n<faint>    | no</faint>\n",
    );
  });

  test("E-05 long lines are wrapped at words, below their column; commands and output are not", () => {
    expect(page("  Reason    one two three four five six", 24)).toBe(
      "  <faint>Reason</faint>    one two\n            three four\n            five six",
    );
    const long = `    | ${"x ".repeat(40)}`;
    expect(page(long, 24)).toBe(`<faint>${long}</faint>`);
    const command = "Next:\n  ralphctl task answer t-1a2b3c4d TEXT  answer";
    expect(page(command, 24)).toBe(
      "<strong>Next:</strong>\n  <code>ralphctl task answer t-1a2b3c4d TEXT</code>  answer",
    );
  });

  test("E-05 an error and its hint, and the lines of a log", () => {
    expect(styleText("message", "error: No workspace here\nhint: Run ralphctl init\n", { palette, width: 80 })).toBe(
      "<strong><bad>error:</bad></strong> No workspace here\n<strong><code>hint:</code></strong> Run ralphctl init\n",
    );
    expect(styleText("log", "10:11:12    Gate test: ok · 1s\n10:11:13  Hello\n", { palette, width: 20 })).toBe(
      "<faint>10:11:12  </faint><good>  Gate test: ok · 1s</good>\n<faint>10:11:13  </faint>Hello\n",
    );
  });
});
