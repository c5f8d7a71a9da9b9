import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { followFile } from "./follow-file.ts";

/** Reads a file to its end; whenever there is nothing more, the next step is taken, and after the last it is over. */
async function followed(path: string, ...steps: readonly (() => void)[]): Promise<string> {
  const left = [...steps];
  let text = "";
  for await (const bytes of followFile(path, () => left.length === 0)) {
    text += Buffer.from(bytes).toString();
    if (bytes.length === 0) left.shift()?.();
  }
  return text;
}

test("what is added is read, the last of it included", async () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, "one\n");
  const text = await followed(
    path,
    () => appendFileSync(path, "two\nthr"),
    () => appendFileSync(path, "ee\n"),
  );
  expect(text).toBe("one\ntwo\nthree\n");
});

test("a file that is not there yet is waited for; one that never comes is empty", async () => {
  const path = join(temporaryFolder(), "run", "log");
  const come = (): void => {
    mkdirSync(join(path, ".."));
    writeFileSync(path, "late\n");
  };
  expect([await followed(path, come), await followed(join(temporaryFolder(), "none"))]).toEqual(["late\n", ""]);
});

test("W-03 a file that was put back is read on where the first one ended, and nothing twice", async () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, "one\n");
  const putBack = (): void => {
    copyFileSync(path, `${path}.new`);
    rmSync(path);
    appendFileSync(`${path}.new`, "two\n");
    renameSync(`${path}.new`, path);
  };
  expect(await followed(path, putBack, () => appendFileSync(path, "three\n"))).toBe("one\ntwo\nthree\n");
});

test("a folder that is deleted ends nothing, and breaks nothing", async () => {
  const folder = join(temporaryFolder(), "run");
  mkdirSync(folder);
  writeFileSync(join(folder, "log"), "one\n");
  expect(await followed(join(folder, "log"), () => rmSync(folder, { recursive: true }))).toBe("one\n");
});
