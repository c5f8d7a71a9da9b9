import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RalphError } from "../domain/error.ts";
import { readTextFile } from "./text-file.ts";

let file = "";

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), "ralphctl-text-")), "a.txt");
});

afterEach(async () => {
  await rm(join(file, ".."), { recursive: true, force: true });
});

const rules = { limitBytes: 100_000, what: "The file" };

async function failure(path: string): Promise<[string, string]> {
  const error: unknown = await readTextFile(path, rules).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RalphError)) throw new Error(`expected a RalphError, got ${String(error)}`);
  return [error.kind, error.message];
}

test("text comes as it is, without the byte order mark", async () => {
  await writeFile(file, "\uFEFFgrüß\r\ndich\n");
  expect(await readTextFile(file, rules)).toBe("grüß\r\ndich\n");
});

test("a file of exactly the limit is read whole, one byte more is refused", async () => {
  await writeFile(file, "x".repeat(100_000));
  expect(await readTextFile(file, rules)).toBe("x".repeat(100_000));
  await writeFile(file, "x".repeat(100_001));
  expect(await failure(file)).toEqual(["data", "The file is larger than 100000B"]);
});

test("no file is undefined, also below something that is no folder", async () => {
  await writeFile(file, "");
  expect(await readTextFile(`${file}.no`, rules)).toBe(undefined);
  expect(await readTextFile(join(file, "below"), rules)).toBe(undefined);
  expect(await readTextFile(file, rules)).toBe("");
});

test("what is not UTF-8 text is named with its line", async () => {
  await writeFile(file, Buffer.concat([Buffer.from("good\nä\n"), Buffer.from([0xc3, 0x28])]));
  expect(await failure(file)).toEqual(["data", "The file has invalid UTF-8 in line 3"]);
  await writeFile(file, "a\nb\0");
  expect(await failure(file)).toEqual(["data", "The file is not text: line 2 has a NUL byte"]);
});

test("a folder, a pipe and a name that is too long are refused without waiting", async () => {
  const refused = ["io", "The file cannot be read: it is a folder or a device"];
  execFileSync("mkfifo", [file]);
  expect(await failure(join(file, ".."))).toEqual(refused);
  expect(await failure(file)).toEqual(refused);
  expect(await failure(join(tmpdir(), "x".repeat(5000)))).toEqual([
    "io",
    "The file cannot be read: its name is too long",
  ]);
});

test.skipIf(process.getuid?.() === 0)("a file without permission is refused", async () => {
  await writeFile(file, "secret");
  await chmod(file, 0);
  expect(await failure(file)).toEqual(["io", "The file cannot be read: permission denied"]);
});
