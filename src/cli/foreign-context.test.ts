import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";

const CHANGE = { "tasks.md": "- [ ] 1.1 Add the page\n", "proposal.md": "A page, please.\n" };

async function workspace(layout: string, files: Readonly<Record<string, string>>): Promise<string> {
  const change = Object.fromEntries(
    Object.entries(CHANGE).map(([name, text]) => [`${layout}/changes/001-01_page/${name}`, text]),
  );
  const cwd = temporaryRepository({ ...change, ...files });
  await type(["init", "--yes"], { cwd });
  return cwd;
}

test.each([
  [".ito", "context.md"],
  [".spool", "context.txt"],
  [".spool", "context.md"],
])("S004-G what people told the loop of %s in %s is context of its change", async (layout, name) => {
  const file = `${layout}/.state/ralph/001-01_page/${name}`;
  const cwd = await workspace(layout, { [file]: "Use port 8080\n" });
  const { stdout } = await type(["prompt", "--change", "001-01"], { cwd });
  expect(stdout).toContain("## Additional Context (added by user mid-loop)\n\nUse port 8080");
  expect((await type(["prompt"], { cwd })).stdout).not.toContain("8080");

  await type(["context", "add", "-c", "001-01", "Mind the gap"], { cwd });
  expect(await type(["context", "show", "-c", "001-01"], { cwd })).toMatchObject({
    stdout: "Use port 8080\n\nMind the gap\n",
    stderr: `Part of it is ${file}\n`,
  });
  const { stderr } = await type(["context", "clear", "-c", "001-01"], { cwd });
  expect(stderr).toBe(`Cleared the context of change/001-01_page.\nAgents still read ${file}: empty it there\n`);
  expect((await type(["context", "show", "-c", "001-01"], { cwd })).stdout).toBe("Use port 8080\n");
  expect(readFileSync(join(cwd, file), "utf8")).toBe("Use port 8080\n");
});

test("S004-G a blank file of another tool is no context", async () => {
  const cwd = await workspace(".ito", { ".ito/.state/ralph/001-01_page/context.md": " \n" });
  expect((await type(["prompt", "--change", "001-01"], { cwd })).stdout).not.toContain("Additional Context");
});

test("W-05 a damaged one, or one that leads out of the workspace, gets a sentence and a hint", async () => {
  const file = ".ito/.state/ralph/001-01_page/context.md";
  const cwd = await workspace(".ito", { [file]: "a\0b" });
  const shown = async () => await type(["context", "show", "--change", "001-01"], { cwd });
  expect(await shown()).toMatchObject({
    code: 65,
    stderr: expect.stringContaining(`The context file ${file} is not text`),
  });
  write(cwd, { [file]: "x".repeat(70_000) });
  expect(await shown()).toMatchObject({ code: 65, stderr: expect.stringContaining(`${file} is larger than 64KB`) });
  symlinkSync(
    join(temporaryFolder({ "secret.md": "secret" }), "secret.md"),
    join(cwd, ".ito/.state/ralph/001-01_page/context.txt"),
  );
  write(cwd, { [file]: "fine" });
  const { code, stderr } = await shown();
  expect([code, stderr]).toEqual([65, expect.stringContaining("points outside")]);
});
