import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { makeSessionBin } from "./session-path.ts";

const ODD = 'it\'s a "test" $(touch x) `y` \\ \n ä * ;&|';
const STUB = "console.log(JSON.stringify([process.argv.slice(2), process.argv[1]]));";

/** Runs a line in a shell whose PATH begins with the folder. */
const shell = (folder: string, line: string): unknown =>
  JSON.parse(execFileSync("/bin/sh", ["-c", line], { env: { PATH: `${folder}:/usr/bin:/bin` }, encoding: "utf8" }));

describe("the programs that a session finds", () => {
  test.each(["ralphctl", "ralph"])("W-01 %s is this very program, whatever is in the paths", async (name) => {
    const home = temporaryFolder({ [`${ODD}/stub.cjs`]: STUB });
    const stub = join(home, ODD, "stub.cjs");
    const folder = await makeSessionBin(join(home, ODD, "bin"), [process.execPath, stub, "first $HOME"]);
    expect(folder).toBe(join(home, ODD, "bin"));
    expect(shell(folder, `${name} task done "a  b" '$x' ''`)).toEqual([
      ["first $HOME", "task", "done", "a  b", "$x", ""],
      stub,
    ]);
    expect(readdirSync(folder).sort()).toEqual(["ralph", "ralphctl"]);
  });

  test("what is right is left alone; what is not is replaced", async () => {
    const folder = join(temporaryFolder(), "bin");
    const file = join(folder, "ralphctl");
    await makeSessionBin(folder, ["/one"]);
    const { ino } = statSync(file);
    await makeSessionBin(folder, ["/one"]);
    expect(statSync(file).ino).toBe(ino);
    await makeSessionBin(folder, ["/bin/echo", "2"]);
    expect(shell(folder, "ralphctl")).toBe(2);
    writeFileSync(file, "damaged");
    await makeSessionBin(folder, ["/bin/echo", "3"]);
    expect(shell(folder, "ralphctl")).toBe(3);
  });

  test("L-21 T-01 programs of others are removed, and links in place of ours", async () => {
    const home = temporaryFolder();
    const folder = join(home, "bin");
    await makeSessionBin(folder, ["/bin/echo", "1"]);
    writeFileSync(join(folder, "grep"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    mkdirSync(join(folder, "more"));
    writeFileSync(join(folder, "more", "file"), "");
    writeFileSync(join(home, "same"), readFileSync(join(folder, "ralph")), { mode: 0o755 });
    rmSync(join(folder, "ralph"));
    symlinkSync(join(home, "same"), join(folder, "ralph"));
    rmSync(join(folder, "ralphctl"));
    mkdirSync(join(folder, "ralphctl"));
    await makeSessionBin(folder, ["/bin/echo", "1"]);
    expect(readdirSync(home).sort()).toEqual(["bin", "same"]);
    expect(readdirSync(folder).sort()).toEqual(["ralph", "ralphctl"]);
    expect(readdirSync(folder).map((name) => lstatSync(join(folder, name)).isFile())).toEqual([true, true]);
    expect(shell(folder, "ralphctl")).toBe(1);
  });

  test("X-78 a folder that no PATH can name is refused", async () => {
    const folder = join(temporaryFolder(), "a:b");
    await expect(makeSessionBin(folder, ["/x"])).rejects.toMatchObject({
      kind: "config",
      message: `${folder} cannot be on the PATH of a session: it contains ":"`,
    });
  });

  test("W-05 a link that leads elsewhere is refused", async () => {
    const outside = temporaryFolder();
    const folder = join(temporaryFolder(), "bin");
    symlinkSync(outside, folder);
    await expect(makeSessionBin(folder, ["/x"])).rejects.toMatchObject({ kind: "data" });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("X-74 a folder that cannot be made is an error", async () => {
    const folder = join(temporaryFolder({ file: "" }), "file", "bin");
    await expect(makeSessionBin(folder, ["/x"])).rejects.toMatchObject({ kind: "io" });
  });
});
