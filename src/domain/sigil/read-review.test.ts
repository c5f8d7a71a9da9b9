import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReview, type ReviewAnswer } from "./read-review.ts";
import { byLane } from "../../../test/lane.ts";
import { anyText } from "../../../test/any-text.ts";

const PASS = "<verify-pass/>";
const FAIL = "<verify-fail>no tests</verify-fail>";

const pass: ReviewAnswer = { kind: "pass" };
const silent: ReviewAnswer = { kind: "silent" };
const fail = (reason = "no tests"): ReviewAnswer => ({ kind: "fail", reason });

describe("P-11 P-15 an answer counts", () => {
  test.each<[string, string, ReviewAnswer]>([
    ["a pass alone", PASS, pass],
    ["a pass with a blank in its tag", "<verify-pass />", pass],
    ["a pass with an end tag", "<verify-pass></verify-pass>", pass],
    ["a pass among lines", `I read it all.\n\n**${PASS}**\n\nBye.`, pass],
    ["a pass after a finished sentence", `All criteria are met. ${PASS}`, pass],
    ["a fail alone", FAIL, fail()],
    ["a fail with CRLF", `Read.\r\n${FAIL}\r\n`, fail()],
    ["a fail after a label", `**Verdict:** ${FAIL}.`, fail()],
    ["a fail as a list item", `- ${FAIL}`, fail()],
    ["a fail over several lines", "<verify-fail>\nfirst\n\nsecond\n</verify-fail>", fail("first\n\nsecond")],
    ["a fail that shows code", "<verify-fail>`a < b`:\n```\n<b>\n```\n</verify-fail>", fail("`a < b`:\n```\n<b>\n```")],
    ["a fail without a reason", "<verify-fail></verify-fail>", fail("")],
    ["a fail after a start tag that was only spoken of", `I need \`<verify-fail>\` here.\n\n${FAIL}`, fail()],
  ])("%s", (_name, message, expected) => {
    expect(readReview(message)).toEqual(expected);
  });
});

describe("P-11 P-15 an answer does not count", () => {
  test.each([
    ["when nothing is said", ""],
    ["when nothing is answered", "Looks good to me."],
    ["in a code fence", `\`\`\`\n${PASS}\n\`\`\``],
    ["in inline code", `\`${PASS}\``],
    ["in a block quote", `> ${PASS}`],
    ["in a sentence", `I will not say ${PASS} yet.`],
    ["at the end of an unfinished sentence", `I cannot say ${PASS}`],
    ["with a text in its tags", "<verify-pass>yes</verify-pass>"],
    ["in another case", "<VERIFY-PASS/>"],
    ["as a start tag alone", "<verify-pass>"],
    ["as a fail without an end", "<verify-fail>no tests"],
    ["as a fail without a beginning", "no tests</verify-fail>"],
    ["as a quoted fail", `> ${FAIL}`],
    ["as a fail in a code fence", `~~~\n${FAIL}\n~~~`],
    ["as a fail in a sentence", `I thought of ${FAIL} at first.`],
    [
      "as a pass in the reason of a fail that does not count",
      `<verify-fail>It says\n${PASS}\n</verify-fail> and so on`,
    ],
  ])("%s", (_name, message) => {
    expect(readReview(message)).toEqual(silent);
  });

  test("in an echo of the prompt, but it does beside one", () => {
    const prompt = `End with one of these:\n${PASS}\n${FAIL}\n`;
    expect(readReview(prompt, prompt)).toEqual(silent);
    expect(readReview(`${prompt}\nI have read it.\n\n${PASS}`, prompt)).toEqual(pass);
    expect(readReview(PASS, prompt)).toEqual(pass);
  });
});

describe("P-15 several answers", () => {
  test.each<[string, string, ReviewAnswer]>([
    ["a fail wins over a later pass", `${FAIL}\n\n${PASS}`, fail()],
    ["a fail wins over an earlier pass", `${PASS}\n\n${FAIL}`, fail()],
    ["a fail beside a pass on its line wins", `${PASS} ${FAIL}`, fail()],
    ["all reasons are told", `${FAIL}\n<verify-fail>a stub</verify-fail>`, fail("no tests\na stub")],
    [
      "a pass in a reason is no pass",
      `<verify-fail>It says\n${PASS}\nitself</verify-fail>`,
      fail(`It says\n${PASS}\nitself`),
    ],
    ["a quoted fail takes nothing from a pass", `No need for \`${FAIL}\`.\n\n${PASS}`, pass],
    ["a start tag alone takes nothing from a pass", `No need for <verify-fail> here.\n\n${PASS}`, pass],
  ])("%s", (_name, message, expected) => {
    expect(readReview(message)).toEqual(expected);
  });
});

describe("P-15 any text", () => {
  const noise = fc
    .array(
      fc.oneof(
        fc.constantFrom(PASS, FAIL, "<verify-fail>", "</verify-fail>", "`", "```", "~~~", "\n", "> ", "- ", "*", ". "),
        anyText({ maxLength: 5 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""));

  test("is read without an error, and has one of three answers", () => {
    fc.assert(
      fc.property(noise, noise, (message, prompt) => {
        expect(["pass", "fail", "silent"]).toContain(readReview(message, prompt).kind);
      }),
      { numRuns: byLane(500, 2000) },
    );
  });

  test("is never a pass after a fail on a line of its own that nothing quotes", () => {
    fc.assert(
      fc.property(noise, (after) => {
        expect(readReview(`${FAIL}\n\n${after}`).kind).toBe("fail");
      }),
    );
  });

  test("is no answer in a block quote", () => {
    fc.assert(
      fc.property(noise, (text) => {
        expect(readReview(`${text}\n${PASS}`.replaceAll(/^/gm, "> "))).toEqual(silent);
      }),
    );
  });

  test("is found whole as a reason, whatever plain lines it has", () => {
    const line = fc.stringMatching(/^[A-Za-z <>/,.:!?-]{0,30}$/);
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const reason = lines.join("\n");
        expect(readReview(`Verdict:\n<verify-fail>${reason}</verify-fail>`)).toEqual(fail(reason.trim()));
      }),
    );
  });
});

// Quadratic reading of these would take hours, so the tests end only because it is linear.
describe("P-15 megabytes", () => {
  const repeat = (unit: string): string => unit.repeat(Math.ceil(byLane(1_000_000, 10_000_000) / unit.length));

  test.each<[string, string, ReviewAnswer["kind"]]>([
    ["start tags without an end", repeat("<verify-fail>"), "silent"],
    ["end tags", repeat("</verify-fail>\n"), "silent"],
    ["passes in sentences on one line", repeat(`x ${PASS} `), "silent"],
    ["one long beginning of a line", `${repeat(" ")}x${repeat(`${PASS}x`)}`, "silent"],
    ["blanks after a pass", `${PASS}${repeat(" ")}x`, "silent"],
    ["full stops after a pass", `${PASS}${repeat(".")}x`, "silent"],
    ["blanks in a tag", `<verify-pass${repeat(" ")}`, "silent"],
    ["passes on one line", repeat(PASS), "pass"],
    ["passes on lines of their own", repeat(`${PASS}\n`), "pass"],
    ["passes inside one fail", `<verify-fail>${repeat(`${PASS}\n`)}</verify-fail>`, "fail"],
    ["fails over two lines", repeat("<verify-fail>a\nb</verify-fail>\n"), "fail"],
  ])("of %s", (_name, text, kind) => {
    expect(readReview(text).kind).toBe(kind);
  });

  test("of echo", () => {
    const text = repeat(`${PASS}\nyes\n`);
    expect(readReview(text, text)).toEqual(silent);
  });
});
