import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { byLane } from "../lane.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TSC = join(process.cwd(), "node_modules/typescript/bin/tsc");

/** A program that uses most of the library, and three mistakes that a compiler must find. */
const PROGRAM = `
import { createPlainReader, openWorkspace, RalphError, run } from "ralphctl";
import type { Config, Harness, OwnGate, RunEvent, RunFinished } from "ralphctl";

const gates: OwnGate[] = [
  { id: "own", check: ({ folder, signal }) => ({ passed: folder !== "" && !signal.aborted, output: "" }) },
  { id: "shell", run: "true", retries: 1 },
];
const mine: Harness = {
  start: ({ prompt }) => ({ file: "cat", args: [], env: {}, stdin: prompt, files: [] }),
  reader: createPlainReader,
  facts: {
    title: "Mine",
    stopOrder: [],
    usage: "none",
    cost: "none",
    takesSystemPrompt: false,
    takesSessionId: false,
    quirks: [],
  },
};
export async function main(): Promise<RunFinished> {
  const started = run({ words: "x", gates, harnesses: { mine }, harness: "mine", signal: AbortSignal.timeout(1) });
  for await (const event of started satisfies AsyncIterable<RunEvent>) {
    if (event.type === "gate.finished") console.log(event.gate, event.passed);
  }
  const workspace = await openWorkspace();
  for await (const { id, needs } of workspace.tasks.list({ states: ["ready"] })) console.log(id, needs.length);
  const cost: Config["limits"]["cost"] = workspace.config.limits.cost;
  // @ts-expect-error it is a number, or null
  const text: string = workspace.config.limits.cost;
  console.log(cost, text, new RalphError("config", "x").hint);
  return await started.finished;
}
// @ts-expect-error there is no such mode
run({ mode: "bild" });
// @ts-expect-error a gate is a command or a function
run({ gates: [{ id: "x" }] });
`;

let folder = "";

beforeAll(() => {
  folder = temporaryFolder({ "program.mts": PROGRAM, "package.json": "{}" });
  const installed = join(folder, "node_modules/ralphctl");
  const types = join(installed, "dist/library/types");
  execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json", "--outDir", types], { stdio: "inherit" });
  copyFileSync("package.json", join(installed, "package.json"));
});

/** As strict as a compiler can be told to be, about our declarations too; of types there are only those of Node. */
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck", "false"];

const RESOLUTIONS: readonly (readonly [string, string])[] = [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];

test.each(byLane(RESOLUTIONS.slice(0, 1), RESOLUTIONS))(
  "a program compiles against the installed declarations alone: %s, %s",
  (module, resolution) => {
    const options = [
      "--noEmit",
      "--target",
      "es2022",
      "--lib",
      "es2022",
      "--module",
      module,
      "--moduleResolution",
      resolution,
    ];
    const types = ["--types", "node", "--typeRoots", join(process.cwd(), "node_modules/@types")];
    const args = [TSC, ...options, ...STRICT, ...types, "program.mts"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  },
);
