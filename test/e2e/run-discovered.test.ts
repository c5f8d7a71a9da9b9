import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, eventsOf, runWith, script, seen, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder, temporaryRepository } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

/** Programs that say by which words they were called. */
function fakePrograms(...names: readonly string[]): string {
  const folder = temporaryFolder(
    Object.fromEntries(names.map((name) => [name, `#!/bin/sh\necho "${name} $* CI=$CI"\ntest -f done.txt\n`])),
  );
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755);
  return folder;
}

const scripts = (names: readonly string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, `${name} it`])) });

const PATH = `${fakePrograms("npm", "npx", "pnpm", "yarn", "bun", "make", "cargo", "go", "python3")}:${process.env["PATH"]}`;

test.concurrent.each<[string, Readonly<Record<string, string>>, readonly string[], setup?: string]>([
  [
    "package.json by npm, without its placeholder",
    {
      "package.json": JSON.stringify({
        scripts: { test: 'echo "Error: no test specified" && exit 1', lint: "eslint .", start: "x" },
      }),
    },
    ["npm run lint CI=1"],
  ],
  [
    "package.json by pnpm's lock file, in its order",
    { "package.json": scripts(["build", "test", "lint", "typecheck"]), "pnpm-lock.yaml": "" },
    ["pnpm run typecheck CI=1", "pnpm run lint CI=1", "pnpm run test CI=1", "pnpm run build CI=1"],
    "pnpm install --frozen-lockfile --prefer-offline",
  ],
  [
    "package.json by yarn's",
    { "package.json": scripts(["test"]), "yarn.lock": "" },
    ["yarn run test CI=1"],
    "yarn install --frozen-lockfile --prefer-offline",
  ],
  [
    "package.json by bun's",
    { "package.json": scripts(["test"]), "bun.lock": "" },
    ["bun run test CI=1"],
    "bun install --frozen-lockfile",
  ],
  ["a Makefile's check before its test", { Makefile: "test:\n\tx\ncheck:\n\tx\n" }, ["make check CI=1"]],
  ["a Makefile's test", { Makefile: "test:\n\tx\n" }, ["make test CI=1"]],
  ["cargo", { "Cargo.toml": "[package]\n" }, ["cargo test CI="]],
  [
    "all crates of a workspace with a root package",
    {
      "Cargo.toml": '[package]\nname = "top"\n[workspace]\nmembers = ["crates/*"]\n',
      "crates/a/Cargo.toml": "[package]\n",
    },
    ["cargo test --workspace CI="],
  ],
  [
    "a linter that fixes, as a check",
    { "package.json": JSON.stringify({ scripts: { lint: "biome lint --write ." } }) },
    ["npx --no-install biome lint . CI=1"],
  ],
  ["go", { "go.mod": "module x\n" }, ["go test ./... CI="]],
  ["pytest", { "pytest.ini": "[pytest]\n" }, ["python3 -m pytest CI="]],
])(
  "P-16 W-06 L-04 gates: auto finds %s, says what it starts, and all of it runs",
  async (_what, files, outputs, setup) => {
    const cwd = temporaryRepository({ ...files, ".ralph/config.yaml": "gates: auto\n", "done.txt": "" });
    const { code, stdout } = await typed(["verify"], { cwd, env: { PATH } });
    const said = stdout.split("\n").filter((line) => /^ {2}[\w-]+ {2}/.test(line));
    expect([code, said.map((line) => line.replace(/^ +\S+ +(?:CI=1 )?/, ""))]).toEqual([
      0,
      [...(setup === undefined ? [] : [setup]), ...outputs.map((line) => line.replace(/ CI=1?$/, ""))],
    ]);
    const json = await typed(["verify", "--json"], { cwd, env: { PATH } });
    const { gates } = JSON.parse(json.stdout) as { readonly gates: readonly { readonly output: string }[] };
    expect(gates.map(({ output }) => output)).toEqual(outputs.map((line) => `${line}\n`));
  },
);

test.concurrent("P-16 gates: auto decides in a run by all that a project with several languages has", async () => {
  const place = await loopWorkspace({
    config: "gates: auto\n",
    files: { "package.json": scripts(["test"]), Makefile: "check:\n\tx\n", "go.mod": "module x\n" },
    script: script([DONE], [WORK, DONE]),
  });
  const run = await runWith(place, { env: { PATH } });
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["rejected", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  const proven = eventsOf(run, "gate.finished").filter(({ iteration }) => iteration === 2);
  expect(proven.map(({ gate, output }) => [gate, output])).toEqual([
    ["test", "npm run test CI=1\n"],
    ["make-check", "make check CI=1\n"],
    ["go-test", "go test ./... CI=\n"],
  ]);
  expect(eventsOf(run, "run.started")[0]?.gates.map(({ gate }) => gate)).toEqual(proven.map(({ gate }) => gate));
});
