import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { inMadeFolder, whileInMadeFolder } from "./made-folder.ts";

describe("T-41 a folder that a person deletes while a file is put into it", () => {
  /** Deletes it at the first try. */
  function deletedOnce() {
    const root = temporaryFolder();
    let tries = 0;
    const path = join(root, "runs/1/file.txt");
    const remove = (): void => {
      tries += 1;
      if (tries === 1) rmSync(join(root, "runs"), { recursive: true });
    };
    return { path, remove };
  }

  test("is made again", () => {
    const { path, remove } = deletedOnce();
    inMadeFolder(path, () => {
      remove();
      writeFileSync(path, "written");
    });
    expect(readFileSync(path, "utf8")).toBe("written");
  });

  test("is made again for what takes a while", async () => {
    const { path, remove } = deletedOnce();
    await whileInMadeFolder(path, async () => {
      remove();
      await writeFile(path, "written");
    });
    expect(readFileSync(path, "utf8")).toBe("written");
  });

  test("is an error in the end if it does not stay", () => {
    const root = temporaryFolder();
    const path = join(root, "runs/file.txt");
    const write = (): void => {
      rmSync(join(root, "runs"), { recursive: true });
      writeFileSync(path, "written");
    };
    expect(() => inMadeFolder(path, write)).toThrow("ENOENT");
  });
});
