import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { PROGRAM } from "../built-program.ts";
import { type } from "../recording-io.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../temporary-folder.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";
import { byLane } from "../lane.ts";

/** What a shell would be answered; each line is a word and what it means. */
async function completed(cwd: string, ...words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await type(["complete", "--", ...words], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
}

/** Every file with its size and time, which a look may not change; but for what SQLite keeps beside its file. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== ".ralph" && !path.startsWith(".ralph/ralph.db-"))
    .sort()
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    });

let folder = "";
const ids: Record<string, string> = {};

beforeAll(async () => {
  folder = temporaryRepository({
    "projects/auth/specs/a.md": "x",
    "projects/my shop/specs/a.md": "x",
    "openspec/changes/add-dark-mode/proposal.md": "x",
    "openspec/changes/archive/old/proposal.md": "x",
    "openspec/modules/014_docs/module.md": "x",
    "sprints/login/SPRINT.yaml": "workflow: ralph\ngoal: Log in\n",
    "sprints/notes/README.md": "x",
    ".ralph/runs/r-20261116-014755-3f2a/events.ndjson": "",
  });
  await type(["init", "--yes"], { cwd: folder });
  for (const title of ["Open", "Asks", "Over"]) {
    ids[title] = (await type(["task", "add", title], { cwd: folder })).stdout.trim();
  }
  await type(["task", "park", ids["Asks"]!, "Which?"], { cwd: folder });
  await type(["task", "drop", ids["Over"]!], { cwd: folder });
});

describe("ralphctl complete", () => {
  test("W-06 proposes tasks by what can be done to them, with their titles, and makes no file", async () => {
    const before = filesOf(folder);
    const { Open, Asks, Over } = ids;
    expect((await completed(folder, "task", "show", "")).sort()).toEqual(
      [`${Open}\tOpen`, `${Asks}\tAsks`, `${Over}\tOver`].sort(),
    );
    expect(await completed(folder, "task", "show", Asks!.slice(0, -1))).toEqual([`${Asks}\tAsks`]);
    expect(await completed(folder, "task", "done", "")).toEqual([`${Open}\tOpen`]);
    expect(await completed(folder, "task", "answer", "")).toEqual([`${Asks}\tAsks`]);
    expect(await completed(folder, "task", "reset", "x", "")).toEqual([`${Over}\tOver`]);
    expect(await completed(folder, "run", "--task", "t-")).toEqual([`${Open}\tOpen`]);
    expect(filesOf(folder)).toEqual(before);
  });

  test("proposes scopes, from any folder of the workspace", async () => {
    expect(await completed(folder, "run", "--project", "")).toEqual(["auth\t", "my shop\t"]);
    expect(await completed(folder, "run", "--project=au")).toEqual(["--project=auth\t"]);
    expect(await completed(folder, "run", "--change", "")).toEqual(["add-dark-mode\t"]);
    expect(await completed(folder, "run", "--module", "")).toEqual(["014\t"]);
    expect(await completed(folder, "sprint", "start", "")).toEqual(["sprints/login\t"]);
    expect(await completed(join(folder, "projects"), "run", "--sprint", "")).toEqual(["../sprints/login\t"]);
    expect(await completed(folder, "run", "--sprint", "projects/")).toEqual([":folder\t"]);
  });

  test("proposes runs, harnesses and keys of the configuration", async () => {
    expect(await completed(folder, "logs", "r-2026")).toEqual(["r-20261116-014755-3f2a\t"]);
    expect(await completed(folder, "run", "--harness", "c")).toEqual(["claude\t", "codex\t", "command\t", "copilot\t"]);
    expect(await completed(folder, "config", "get", "limits.c")).toEqual([
      "limits.conflicts\t",
      "limits.cost\t",
      "limits.context\t",
    ]);
  });

  test("says nothing, and is no error, outside a workspace, with a broken one, and for words that mean nothing", async () => {
    const outside = temporaryFolder();
    const broken = temporaryFolder({ ".ralph/ralph.db": "no database", ".ralph/config.yaml": "layouts: 5" });
    mkdirSync(join(broken, "openspec/changes/a"), { recursive: true });
    for (const cwd of [outside, broken]) {
      const before = filesOf(cwd);
      expect(await completed(cwd, "task", "show", "")).toEqual([]);
      expect(await completed(cwd, "run", "--project", "")).toEqual([]);
      expect(await completed(cwd, "run", "--change", "")).toEqual(cwd === broken ? ["a\t"] : []);
      expect(await completed(cwd, "nope", "--x", "\u001b")).toEqual([]);
      expect(filesOf(cwd)).toEqual(before);
    }
  });

  test("W-03 a store that vanished is not restored by a look", async () => {
    const place = temporaryRepository({ "README.md": "x" });
    await type(["init"], { cwd: place });
    await type(["task", "add", "One"], { cwd: place });
    git(place, "clean", "-fdxq");
    const before = filesOf(place);
    expect(await completed(place, "task", "show", "")).toEqual([]);
    expect(filesOf(place)).toEqual(before);
  });
});

const bin = (): string => {
  const path = temporaryFolder({ ralphctl: `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n` });
  chmodSync(join(path, "ralphctl"), 0o755);
  return path;
};

test("bash completes words, files and what has to be quoted", () => {
  write(folder, { "extra.yaml": "" });
  const script = `
    PATH="${bin()}:$PATH"
    source <(ralphctl completion bash)
    complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ralphctl; printf '%s\\n' "\${COMPREPLY[@]}"; }
    complete_line ralphctl config ""
    complete_line ralphctl prompt --config ext
    complete_line ralphctl run --sprint pro
    complete_line ralphctl run --project = m
    complete_line ralphctl task answer ""`;
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8", cwd: folder }).trim().split("\n")).toEqual([
    "get",
    "set",
    "unset",
    "edit",
    "path",
    "schema",
    "extra.yaml",
    "projects",
    "my\\ shop",
    ids["Asks"],
  ]);
});

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

test.runIf(has("fish"))("fish completes words with what they mean", () => {
  const lines = [
    "ralphctl prom",
    "ralphctl run --project=au",
    'ralphctl run --project "my s',
    "ralphctl task answer ",
    "ralphctl prompt --config extra",
    "ralphctl prompt --config=extra",
    "ralphctl run --sprint=proj",
    "ralphctl run -- -",
    "/nowhere/ralphctl prom",
  ];
  write(folder, { "extra.yaml": "" });
  const script = [
    `set -x PATH "${bin()}" $PATH`,
    "ralphctl completion fish | source",
    ...lines.map((line) => `complete --do-complete '${line}'`),
  ].join("\n");
  const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], { encoding: "utf8", cwd: folder });
  expect([stdout.trim().split("\n"), stderr]).toEqual([
    [
      "prompt\tshow exactly the prompt an agent would get",
      "--project=auth",
      "my shop",
      `${ids["Asks"]}\tAsks`,
      "extra.yaml",
      "--config=extra.yaml",
      "--sprint=projects/\tDirectory",
    ],
    "",
  ]);
});

/** Types lines at a shell, each with a tab after it: what the shell then starts. One takes the slash of a folder away. */
async function startedBy(shell: readonly string[], lines: readonly string[]): Promise<string[]> {
  const home = temporaryFolder();
  const path = temporaryFolder({
    ralphctl: `#!/bin/sh
case $1 in comple*) exec "${process.execPath}" "${PROGRAM}" "$@" ;; esac
printf '<%s' "$#"
printf '|%s' "$@"
printf '>\\n'
`,
  });
  chmodSync(join(path, "ralphctl"), 0o755);
  const started = startAtTerminal(["env", `HOME=${home}`, `PATH=${path}:${process.env["PATH"]}`, ...shell], folder);
  const name = shell[0]!;
  started.child.stdin.write(`source <(ralphctl completion ${name})\recho a''wake\r`);
  await started.says("awake");
  for (const line of lines) started.child.stdin.write(`${line}\t\r`);
  started.child.stdin.write("exit\r");
  await started.ended;
  return [...started.output().matchAll(/<\d+\|.*?(?=\/?>)/g)].map(([text]) => `${text}>`);
}

const AT_A_TERMINAL: readonly (readonly [string, string | (() => string)])[] = [
  ["ralphctl prom", "<1|prompt>"],
  ["ralphctl task answer ", () => `<3|task|answer|${ids["Asks"]}>`],
  ["ralphctl run --project my\\ ", "<3|run|--project|my shop>"],
  ['ralphctl run --project "my s', "<3|run|--project|my shop>"],
  ["ralphctl run --project=au", "<2|run|--project=auth>"],
  ["ralphctl prompt --config extr", "<3|prompt|--config|extra.yaml>"],
  ["ralphctl prompt --config=extr", "<2|prompt|--config=extra.yaml>"],
  ["ralphctl run --sprint=proj", "<2|run|--sprint=projects>"],
  ["ralphctl run -- --dry", "<3|run|--|--dry>"],
];

/** In the fast lane every second: what one shell leaves out, the other completes. */
const linesFor = (shell: string): typeof AT_A_TERMINAL =>
  byLane(
    AT_A_TERMINAL.filter((_, at) => at % 2 === (shell === "bash" ? 0 : 1)),
    AT_A_TERMINAL,
  );

for (const shell of [
  ["bash", "--norc", "-i"],
  ["zsh", "-f", "-i"],
] as const) {
  test.runIf(hasTerminals && has(shell[0]))(
    `${shell[0]} at a terminal completes the word before the cursor`,
    async () => {
      write(folder, { "extra.yaml": "" });
      const lines = linesFor(shell[0]).map(([line]) => line);
      const wanted = linesFor(shell[0]).map(([, words]) => (typeof words === "string" ? words : words()));
      expect(await startedBy(shell, lines)).toEqual(wanted);
    },
  );
}

test.runIf(has("zsh"))("zsh shows what a word means, also from a file of its own", () => {
  const place = temporaryFolder();
  const script = `
    PATH="${bin()}:$PATH"
    ralphctl completion zsh > "${place}/_ralphctl"
    fpath=("${place}" $fpath)
    autoload -Uz compinit && compinit -u -D
    _describe() { print -l -- \${(P)2} }
    complete_line() { words=("$@"); CURRENT=$#; \${_comps[ralphctl]} }
    complete_line ralphctl prom
    complete_line ralphctl run --harness pi
    complete_line ralphctl task answer ""`;
  expect(execFileSync("zsh", ["-f", "-c", script], { encoding: "utf8", cwd: folder }).trim().split("\n")).toEqual([
    "prompt:show exactly the prompt an agent would get",
    "pi",
    `${ids["Asks"]}:Asks`,
  ]);
});
