import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Sigils, readSigils } from "./read-sigils.ts";
import { byLane } from "../../../test/lane.ts";
import { anyText } from "../../../test/any-text.ts";

const DONE = "<task-done>t-1</task-done>";

describe("P-11 a sigil counts", () => {
  test.each([
    ["alone", DONE],
    ["alone among lines", `All tests pass.\n\n${DONE}\n\nBye.`],
    ["indented", `   ${DONE}  `],
    ["in a message that is indented as a whole", `    All done.\n\n    ${DONE}`],
    ["in an indented line of a paragraph", `All done:\n    ${DONE}`],
    ["in a later paragraph of a list item", `1.  All done.\n\n    ${DONE}`],
    ["after an indented block", `I ran\n\n    npm test\n\n${DONE}`],
    ["with CRLF", `Done.\r\n${DONE}\r\n`],
    ["in bold", `**${DONE}**`],
    ["in italics", `_${DONE}_`],
    ["in bold italics with a full stop", `***${DONE}***.`],
    ["with a full stop inside the emphasis", `**${DONE}.**`],
    ["as a list item", `- ${DONE}`],
    ["as a starred list item in bold", `* **${DONE}**`],
    ["as a numbered list item", `12) ${DONE}`],
    ["as a ticked list item", `- [x] ${DONE}`],
    ["with an exclamation mark", `${DONE}!`],
    ["after a full stop", `All tests pass. ${DONE}`],
    ["after an exclamation mark", `All green! ${DONE}`],
    ["after a colon", `Result: ${DONE}`],
    ["after a bold label", `**Status:** ${DONE}.`],
    ["after a closed fence", `\`\`\`sh\nnpm test\n\`\`\`\n${DONE}`],
    ["after a fence that a longer run closes", `~~~\nx\n~~~~\n${DONE}`],
    ["after inline code on its line", `Ran \`npm test\`. ${DONE}`],
    ["after a block quote", `> quoted\n\n${DONE}`],
    ["after a stray backtick in another paragraph", `The \` key.\n\n${DONE}\n\nThe \` key.`],
    ["in a nested list", `- - ${DONE}`],
    ["in mixed emphasis", `_**${DONE}**_`],
    ["after a fence that ended with its list item", `- \`\`\`\n  code\n\n${DONE}`],
    ["between escaped backticks", `A \\\` b\n${DONE}\nc \\\``],
    ["after a quotation that a blank line ends", `> quoted\n>\n${DONE}`],
    ["in a list after a quotation", `> quoted\n- ${DONE}`],
    ["with blanks in its tags", "<task-done> t-1 </task-done>"],
  ])("%s", (_name, text) => {
    expect(readSigils(text)).toEqual({ done: "t-1", quoted: [] });
  });
});

describe("P-11 a sigil does not count", () => {
  test.each([
    ["in a code fence", `\`\`\`\n${DONE}\n\`\`\``],
    ["in a fence with a language", `\`\`\`xml\n${DONE}\n\`\`\``],
    ["in an indented block", `I would print:\n\n    ${DONE}`],
    ["in a later line of an indented block", `Later:\n\n\tnpm test\n\n\t${DONE}\n\nNot yet.`],
    ["in an indented block after a list", `- one\n\nLater:\n\n    ${DONE}`],
    ["in a tilde fence", `~~~\n${DONE}\n~~~`],
    ["in a fence that never ends", `\`\`\`\n${DONE}`],
    ["in a fence inside a list item", `- \`\`\`\n  ${DONE}\n  \`\`\``],
    ["in a fence that a shorter run does not close", `\`\`\`\`\n\`\`\`\n${DONE}\n\`\`\`\``],
    ["in a fence that another kind does not close", `\`\`\`\n~~~\n${DONE}\n\`\`\``],
    ["in a fence that a fence with a language does not close", `\`\`\`\n\`\`\`js\n${DONE}\n\`\`\``],
    ["in inline code", `\`${DONE}\``],
    ["in inline code after a sentence", `I will say it. \`${DONE}\``],
    ["in inline code of two backticks", `\`\` ${DONE} \`\``],
    ["in inline code over several lines", `Look at \`this:\n${DONE}\nand that\` for once.`],
    ["in a block quote", `> ${DONE}`],
    ["in a nested block quote", `> > ${DONE}`],
    ["in an indented block quote", `  > ${DONE}`],
    ["in a block quote inside a list item", `- > The rules say: ${DONE}`],
    ["in a block quote inside a numbered item", `1. > ${DONE}`],
    ["in the last line of a block quote's paragraph, without its mark", `> The prompt says to end with\n${DONE}`],
    ["in a fence that an indented run does not close", `\`\`\`markdown\n    \`\`\`\n${DONE}\n\`\`\``],
    ["in inline code that ends in a backslash", `\`${DONE}\\\``],
    ["in a sentence", `I will not output ${DONE} yet.`],
    ["at the end of an unfinished sentence", `I will not output ${DONE}`],
    ["at the end of a sentence's clause", `Not yet, so no ${DONE}.`],
    ["at the beginning of a sentence", `${DONE} is what I would say.`],
    ["with a question mark", `${DONE}?`],
    ["with a comma", `${DONE},`],
    ["struck out", `~~${DONE}~~`],
    ["in quotation marks", `"${DONE}"`],
    ["escaped", `\\${DONE}`],
    ["in a table", `| ${DONE} |`],
    ["over several lines", "<task-done>\nt-1\n</task-done>"],
  ])("%s", (_name, text) => {
    const { quoted, ...claims } = readSigils(text);
    expect(claims).toEqual({});
    expect(quoted).toEqual([/<task-done>\s*t-1\s*<\/task-done>/.exec(text)![0]]);
  });

  test.each([
    "<task-done></task-done>",
    "<task-done> </task-done>",
    "<task-done>t-1",
    "t-1</task-done>",
    "<task-done>t-1</task-failed>",
  ])("when it is none: %s", (text) => {
    expect(readSigils(text)).toEqual({ quoted: [] });
  });
});

describe("P-11 an echo", () => {
  const prompt = `5. When the task is GENUINELY COMPLETE, output:\n   <promise>COMPLETE</promise>\n\n## Critical Rules\n`;

  test("is two consecutive lines of the prompt: what they contain does not count", () => {
    const message = "You said:\n5. When the task is GENUINELY COMPLETE, output:\n<promise>COMPLETE</promise>";
    expect(readSigils(message, prompt)).toEqual({ quoted: ["<promise>COMPLETE</promise>"] });
  });

  test("is seen from the line after, and over blank lines", () => {
    expect(readSigils("<promise>COMPLETE</promise>\n\n\n## Critical Rules\r\n", prompt)).toEqual({
      quoted: ["<promise>COMPLETE</promise>"],
    });
  });

  test("is never one line alone", () => {
    expect(readSigils("Everything works.\n<promise>COMPLETE</promise>", prompt)).toEqual({
      promise: "COMPLETE",
      quoted: [],
    });
  });

  test("hides only itself: a claim elsewhere counts", () => {
    expect(readSigils(`${prompt}\nI did it all.\n\n<promise>COMPLETE</promise>\n`, prompt)).toEqual({
      promise: "COMPLETE",
      quoted: ["<promise>COMPLETE</promise>"],
    });
  });

  test("needs a prompt", () => {
    expect(readSigils(prompt)).toEqual({ promise: "COMPLETE", quoted: [] });
  });
});

describe("several sigils", () => {
  const cases: [string, string, Sigils][] = [
    [
      "P-11 of one kind: the last",
      "<task-done>a</task-done>\n<task-done>b</task-done>",
      { done: "b", allDone: ["a", "b"], quoted: [] },
    ],
    [
      "P-11 FAILURE wins over a later promise",
      "<promise>FAILURE</promise>\nor\n\n<promise>COMPLETE</promise>",
      { promise: "FAILURE", quoted: [] },
    ],
    [
      "P-12 D-06 each kind is told: which is the claim, the loop decides",
      "<task-failed>a</task-failed>\n<task-done>b</task-done>\n<promise>COMPLETE</promise>\n<next-model>opus</next-model>",
      { done: "b", failed: "a", promise: "COMPLETE", nextModel: "opus", quoted: [] },
    ],
    [
      "side by side on one line",
      "Done. <task-done>a</task-done> <promise>COMPLETE</promise>",
      { done: "a", promise: "COMPLETE", quoted: [] },
    ],
    [
      "P-13 ids are told as written: whose task it is, the loop decides",
      "<task-done>t-other</task-done>",
      { done: "t-other", quoted: [] },
    ],
    [
      "a counted and a quoted one",
      "I was to end with `<task-done>x</task-done>`.\n\n<task-done>y</task-done>",
      { done: "y", quoted: ["<task-done>x</task-done>"] },
    ],
  ];

  test.each(cases)("%s", (_name, text, expected) => {
    expect(readSigils(text)).toEqual(expected);
  });
});

describe("any text", () => {
  const noise = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "<task-done>",
          "</task-done>",
          "<promise>",
          "</promise>",
          "`",
          "```",
          "~~~",
          "\n",
          "> ",
          "- ",
          "*",
          ". ",
        ),
        anyText({ maxLength: 5 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""));

  test("never throws", () => {
    fc.assert(
      fc.property(noise, noise, (message, prompt) => {
        readSigils(message, prompt);
      }),
      { numRuns: byLane(500, 2000) },
    );
  });

  test("no claim comes out of a fence, whatever surrounds it", () => {
    fc.assert(
      fc.property(noise, fc.constantFrom("```", "~~~~"), (inside, fence) => {
        fc.pre(!/[`~]/.test(inside));
        const { quoted: _, ...claims } = readSigils(`${fence}\n${inside}\n${DONE}\n${inside}`);
        expect(claims).toEqual({});
      }),
    );
  });

  test("no claim comes out of a block quote", () => {
    fc.assert(
      fc.property(noise, (text) => {
        const { quoted: _, ...claims } = readSigils(`${text}\n${DONE}`.replaceAll(/^/gm, "> "));
        expect(claims).toEqual({});
      }),
    );
  });

  test("no claim comes out of the middle of a sentence", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}[,;]?$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(word), (before, after) => {
        const { quoted, ...claims } = readSigils(`${before.join(" ")} ${DONE} ${after.join(" ")}`);
        expect(claims).toEqual({});
        expect(quoted).toEqual([DONE]);
      }),
    );
  });

  test("no claim comes out of an echo of any two or more lines of the prompt", () => {
    const line = fc.oneof(fc.constantFrom(DONE, "<promise>COMPLETE</promise>"), fc.stringMatching(/^[a-z]{1,9}$/));
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 8 }), (lines) => {
        const { quoted: _, ...claims } = readSigils(lines.join("\n"), `start\n${lines.join("\n\n  ")}\nend`);
        expect(claims).toEqual({});
      }),
    );
  });

  test("a claim on a line of its own is always found, whatever plain lines surround it", () => {
    const line = fc.stringMatching(/^[A-Za-z ,.:!?-]{0,30}$/);
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        expect(readSigils([...before, DONE, ...after].join("\n")).done).toBe("t-1");
      }),
    );
  });
});

// Quadratic reading of these would take hours, so the tests end only because it is linear.
describe("megabytes", () => {
  const SIZE = byLane(1_000_000, 10_000_000);
  const repeat = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));

  test.each([
    ["start tags without an end", repeat("<task-done>")],
    ["start tags on lines of their own", repeat("<task-done>\n")],
    ["one start tag and blanks", `<task-done>${repeat(" ")}`],
    ["backticks of growing length", Array.from({ length: 4000 }, (_, n) => "`".repeat(n + 1)).join(" ") + DONE],
    ["blanks before a word", `${repeat(" ")}x${DONE}x`],
  ])("of %s", (_name, text) => {
    expect(readSigils(text, text).done).toBe(undefined);
  });

  test.each([
    ["sigils on one line", repeat(DONE)],
    ["sigils on their own lines", repeat(`${DONE}\n`)],
    ["backtick runs", `${repeat("` ")}\n\n${DONE}`],
    ["list marks", `${repeat("- ")}\n${DONE}`],
    ["quotation marks", `${repeat("> ")}\n\n${DONE}`],
  ])("of %s", (_name, text) => {
    expect(readSigils(text).done).toBe("t-1");
  });

  test("of echo", () => {
    const text = repeat(`${DONE}\nyes\n`);
    expect(readSigils(text, text).done).toBe(undefined);
  });
});
