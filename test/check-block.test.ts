import { describe, expect, test } from "vitest";
import { wrongWith } from "./check-block.ts";
import { follow } from "./follow-guide.ts";
import { fileOf, readBlocks } from "./guide-blocks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const fenced = (kind: string, text: string): string => `\`\`\`${kind}\n${text}\`\`\`\n`;

test("blocks are read with their kind and their line", () => {
  const text = `# Title\n\n${fenced("sh", "a\nb\n")}\n\`\`\`\`md\n\`\`\`sh\nx\n\`\`\`\n\`\`\`\`\n\`\`\`\nopen`;
  expect(readBlocks(text)).toEqual([
    { kind: "sh", text: "a\nb\n", line: 3 },
    { kind: "md", text: "```sh\nx\n```\n", line: 8 },
    { kind: "", text: "open\n", line: 13 },
  ]);
});

test("a block is a file when its first comment says so", () => {
  const files = [
    ["yaml", "# .ralph/config.yaml\nharness: claude\n"],
    ["yaml", "harness: claude\n"],
    ["md", "<!-- .ralph/specs/a.md -->\n# A\n"],
    ["sh", "#!/bin/sh\n# tell.sh\n"],
    ["sh", "# tell.sh\n"],
  ].map(([kind = "", text = ""]) => fileOf({ kind, text, line: 1 }));
  expect(files).toEqual([".ralph/config.yaml", undefined, ".ralph/specs/a.md", "tell.sh", undefined]);
});

describe("what is wrong with a block", () => {
  test.each([
    ["bash", "ls\n", 'is of the unknown kind "bash": sh, md, yaml, json, js, ts, text'],
    ["sh", "#!/bin/sh\nls\n", "must name its file in its second line"],
    ["md", "# A\n", "must name its file in its first line"],
    ["yaml", "a: 1\n", "must begin with the comment `# script`, `# steps` or the file that it is"],
    ["yaml", "# other.yaml\na: 1\n", "is an unknown file: other.yaml"],
    ["yaml", "# script\n- - shout: x\n", expect.stringContaining("Unknown key `shout`")],
    ["yaml", "# steps\n- exit: no\n", "`exit` must be a whole number"],
    ["yaml", "# .ralph/config.yaml\nlimit: {}\n", expect.stringContaining("Unknown key limit")],
    ["yaml", "# .github/workflows/a.yaml\njobs: {}\n", "has no steps"],
    ["json", '{"say":"x"}\n{"type":"run.began"}\n', '{"type":"run.began"}'],
    ["json", '{"say":"x"}\n', undefined],
  ])("%s %j", async (kind, text, problem) => {
    expect(await wrongWith({ kind, text, line: 1 })).toEqual(problem);
  });
});

describe("a guide that does not hold", () => {
  test.concurrent.each([
    ["a command fails", fenced("sh", "echo one\nfalse\necho two\n"), { code: 1, unseen: [] }],
    ["another end was said", fenced("sh", "sh -c 'exit 3'   # ends with 4: no\n"), { code: 1, unseen: [] }],
    ["the end that was said", fenced("sh", "sh -c 'exit 4'   # ends with 4: yes\n"), { code: 0, unseen: [] }],
    [
      "a sample that nothing prints",
      fenced("sh", "echo Took 12 s\n") + fenced("text", "…\nTook 7 s\nIt took\n"),
      { code: 0, unseen: ["It took", "never"] },
    ],
    ["a program that throws", fenced("js", 'throw new Error("no");\n'), { code: 1, unseen: [] }],
  ])("%s", async (_, text, expected) => {
    const file = `${temporaryFolder({ "guide.md": text })}/guide.md`;
    const shows = expected.unseen.filter((line) => line === "never");
    const { code, unseen } = await follow(file, { files: { "README.md": "" }, script: "", shows });
    expect({ code, unseen }).toEqual(expected);
  });
});
