import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { RalphError } from "../domain/error.ts";
import { openEventLog } from "./event-log.ts";

const place = (): string => join(temporaryFolder(), "runs", "r-1", "events.ndjson");

const immediate = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

const errorOf = (action: () => void): unknown => {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof RalphError ? { kind: error.kind, message: error.message } : error;
  }
};

describe("event log", () => {
  test("keeps all lines in order, in a folder that nobody else may look into", () => {
    const path = place();
    const log = openEventLog(path);
    const lines = Array.from({ length: 5000 }, (_, index) => `{"n":${index},"text":"${"ä".repeat(index % 50)}"}`);
    for (const line of lines) log.write(line);
    log.close();
    expect(readFileSync(path, "utf8")).toBe(`${lines.join("\n")}\n`);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  test("has all lines in its file after a flush", () => {
    const path = place();
    const log = openEventLog(path);
    log.write("a");
    log.write("b");
    log.flush();
    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
    log.close();
  });

  test("holds less than 64 KB back, and nothing once the turn is over", async () => {
    const path = place();
    const log = openEventLog(path);
    log.write("a");
    expect(readFileSync(path, "utf8")).toBe("");
    await immediate();
    expect(readFileSync(path, "utf8")).toBe("a\n");
    const long = "b".repeat(40 * 1024);
    log.write(long);
    log.write(long);
    const seen = [readFileSync(path, "utf8")];
    await immediate();
    seen.push(readFileSync(path, "utf8"));
    // Longer than all that is ever held back: at once, behind what waits.
    log.write("c");
    log.write(long + long);
    seen.push(readFileSync(path, "utf8"));
    const both = `a\n${long}\n${long}\n`;
    expect(seen.map((text) => text === both || text.length)).toEqual([
      2 + long.length + 1,
      true,
      both.length + 2 + 2 * long.length + 1,
    ]);
    log.close();
  });

  test("adds to what an earlier process wrote", () => {
    const path = place();
    for (const line of ["a", "b"]) {
      const log = openEventLog(path);
      log.write(line);
      log.close();
    }
    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
  });

  test("W-03 survives git clean -fdx: what was written is put back, and writing goes on", async () => {
    const root = temporaryRepository({ ".gitignore": ".ralph/\n" });
    const path = join(root, ".ralph", "runs", "r-1", "events.ndjson");
    const log = openEventLog(path);
    log.write("a");
    await immediate();
    git(root, "clean", "-fdx", "--quiet");
    expect(existsSync(join(root, ".ralph"))).toBe(false);
    log.write("b");
    log.check();
    log.write("c");
    await immediate();
    expect(readFileSync(path, "utf8")).toBe("a\nb\nc\n");
    git(root, "clean", "-fdx", "--quiet");
    log.write("d");
    log.close();
    expect(readFileSync(path, "utf8")).toBe("a\nb\nc\nd\n");
  });

  test("W-02 takes the place of another file, and does not follow a link in its place", () => {
    const path = place();
    const log = openEventLog(path);
    log.write("a");
    rmSync(path);
    write(join(path, ".."), { "events.ndjson": "forged\n" });
    log.check();
    const elsewhere = join(path, "..", "..", "elsewhere");
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    log.check();
    log.write("b");
    log.close();
    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
    expect(readFileSync(elsewhere, "utf8")).toBe("");
  });

  test("a folder that cannot be made again is an io error, and the log stays usable", () => {
    const path = place();
    const log = openEventLog(path);
    const folder = join(path, "..");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    const error = { kind: "io", message: `Cannot write ${path}: EEXIST` };
    expect(errorOf(() => log.check())).toEqual(error);
    rmSync(folder);
    log.write("a");
    log.check();
    log.close();
    expect(readFileSync(path, "utf8")).toBe("a\n");
  });

  test("a place that cannot be written is an io error, now or at the next call", async () => {
    const folder = temporaryFolder({ file: "" });
    const inside = join(folder, "file", "events.ndjson");
    expect(errorOf(() => openEventLog(inside))).toEqual({ kind: "io", message: `Cannot write ${inside}: EEXIST` });
    if (!existsSync("/dev/full")) return;
    const log = openEventLog("/dev/full");
    log.write("a");
    await immediate();
    const full = { kind: "io", message: "Cannot write /dev/full: ENOSPC" };
    expect(errorOf(() => log.write("b"))).toEqual(full);
    expect(errorOf(() => log.close())).toEqual(full);
  });
});
