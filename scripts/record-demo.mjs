// `npm run record`: plays the demo, keeps what it printed (test/e2e/demo-recording.txt), and draws docs/demo.svg from it.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/bin.js", "demo", "--plain"], {
  encoding: "utf8",
});
if (status !== 0) throw new Error(`The demo ended with ${status}: ${stderr}`);
rmSync(dirname(/\bcd (\S+)/.exec(stdout)[1]), { recursive: true });

const lines = stdout
  // As at a terminal, without the times of a log.
  .replaceAll(/^\d\d:\d\d:\d\d(?: {2})?/gm, "")
  // What the tests of the demo print is Node's, and differs from version to version.
  .replaceAll(/^ {4}\| .*\n/gm, "")
  // It is recorded where it is not installed, and looked at by those who may have installed it.
  .replace(/\nralphctl is not on your PATH yet.*\n$/, "");
writeFileSync("test/e2e/demo-recording.txt", `$ ralphctl demo\n${lines}`);

const draw = ["node_modules/vitest/vitest.mjs", "run", "test/docs.test.ts", "--update", "-t", "docs/demo.svg"];
process.exitCode = spawnSync(process.execPath, draw, { stdio: "inherit" }).status ?? 1;
