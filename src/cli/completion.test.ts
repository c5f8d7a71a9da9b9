import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { commands } from "./commands/index.ts";
import { proposals, SHELLS } from "./completion.ts";

const words = (...line: readonly string[]): string[] => proposals(commands, line).map(({ word }) => word);

describe("proposals", () => {
  test("commands, then their verbs", () => {
    expect(words("")).toEqual([
      "init",
      "run",
      "step",
      "demo",
      "prompt",
      "task",
      "context",
      "project",
      "change",
      "sprint",
      "verify",
      "status",
      "inspect",
      "logs",
      "report",
      "stop",
      "pause",
      "resume",
      "config",
      "doctor",
      "completion",
      "help",
    ]);
    expect(words("con")).toEqual(["context", "config"]);
    expect(words("config", "")).toEqual(["get", "path", "schema"]);
    expect(words("task", "d")).toEqual(["done", "drop", "dep"]);
    expect(words("task", "dep", "")).toEqual(["add", "rm", "list"]);
  });

  test("arguments with a choice, also after options with values", () => {
    expect(words("prompt", "p")).toEqual(["plan", "planning"]);
    expect(words("prompt", "--project", "a", "b")).toEqual(["build"]);
    expect(words("run", "")).toEqual(["plan", "build", "auto"]);
    expect(words("run", "--model-strategy", "e")).toEqual(["escalate"]);
    expect(words("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(words("task", "list", "--status", "d")).toEqual(["done", "dropped"]);
  });

  test("options that are not there yet", () => {
    expect(words("init", "-")).toEqual(["--project", "--yes", "--force", "--help"]);
    expect(words("init", "--yes", "--f")).toEqual(["--force"]);
    expect(words("task", "dep", "add", "t-1", "--needs", "t-2", "--n")).toEqual(["--needs"]);
  });

  test("values: files and folders are the shell's business", () => {
    expect(words("prompt", "--config", "")).toEqual([":file"]);
    expect(words("prompt", "--sprint", "sp")).toEqual([":folder"]);
    expect(words("prompt", "--project", "")).toEqual([]);
  });

  test("help and the program's own options", () => {
    expect(words("--v")).toEqual(["--version"]);
    expect(words("help", "con")).toEqual(["context", "config"]);
    expect(words("help", "s")).toEqual(["step", "sprint", "stop", "specs", "scopes", "sprints", "sessions"]);
    expect(words("help", "config", "p")).toEqual(["path"]);
  });

  test("nothing for what does not exist", () => {
    expect(words("nope", "")).toEqual([]);
    expect(words("config", "get", "x", "")).toEqual([]);
  });
});

describe("scripts", () => {
  test.each(SHELLS)("%s is printed", async (shell) => {
    const { code, stdout } = await type(["completion", shell], { cwd: "." });
    expect(code).toBe(0);
    expect(stdout).toContain(" complete -- ");
  });

  test("bash completes with it", () => {
    const bin = temporaryFolder({
      ralphctl: `#!/bin/sh\nexec "${process.execPath}" "${process.cwd()}/dist/bin.js" "$@"\n`,
    });
    execFileSync("chmod", ["+x", `${bin}/ralphctl`]);
    const script = `
      PATH="${bin}:$PATH"
      source <(ralphctl completion bash)
      complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ralphctl; printf '%s\\n' "\${COMPREPLY[@]}"; }
      complete_line ralphctl prom
      complete_line ralphctl prompt ref
      complete_line ralphctl config ""
      cd "${bin}"; mkdir "my sprint"
      complete_line ralphctl prompt --config ralph 2>/dev/null
      complete_line ralphctl prompt --sprint my 2>/dev/null`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n")).toEqual([
      "prompt",
      "reflecting",
      "get",
      "path",
      "schema",
      "ralphctl",
      "my sprint",
    ]);
  });
});
