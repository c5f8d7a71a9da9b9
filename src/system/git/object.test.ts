import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { git as run, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { commitDelta } from "../../../test/commit-delta.ts";
import { storeObject } from "./object.ts";
import { snapshot } from "./snapshot.ts";

const rules = { maxFileBytes: 5_000_000, inputs: [], allow: [] };

describe("P-32 an object that we write", () => {
  test("is one of git's, under git's name, and written once", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const { folder } = repository;
    const content = Buffer.from([0, 255, 10, 13, 10, ...Buffer.from("text\n".repeat(1000))]);
    const name = storeObject(repository, "blob", content);
    expect(storeObject(repository, "blob", content)).toBe(name);
    write(folder, { "same.bin": content });
    expect(name).toBe(run(folder, "hash-object", "same.bin"));
    expect(run(folder, "cat-file", "-s", name)).toBe(String(content.length));
    expect(readdirSync(join(folder, ".git/objects")).filter((each) => each.startsWith("tmp_"))).toEqual([]);
  });

  test("makes trees that git finds sound, whatever the names", async () => {
    const repository = await newRepository({ "a/b.txt": "1", "a.txt": "1", "a-b": "1" });
    const { folder } = repository;
    const base = await snapshot(repository);
    write(folder, { "a/b.txt": "2", "a.b/c": "1", "a/ü/d": "1", a0: "1", "z/y/x/w": "" });
    const now = await snapshot(repository, base);
    const result = await commitDelta(repository, { base, now }, { rules, message: "Do it\n" });
    expect(result.kind).toBe("committed");
    expect(run(folder, "fsck", "--full", "--strict", "--no-dangling", "--no-progress")).toBe("");
    expect(run(folder, "status", "--porcelain")).toBe("");
  });

  test("is left to git where settings ask for other rights or more patience", async () => {
    const settings = ["core.sharedRepository=group", "core.fsync=all", "core.fsyncObjectFiles=true"];
    const asked = settings.map(async (setting) => {
      const folder = temporaryRepository({ "a.txt": "1" });
      run(folder, "config", ...setting.split("="));
      return (await repositoryAt(folder)).writesObjects;
    });
    expect([...(await Promise.all(asked)), (await newRepository({ "a.txt": "1" })).writesObjects]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});
