import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { commands } from "./commands/index.ts";
import { complete } from "./completion.ts";
import { SHELLS } from "./completion-scripts.ts";

const words = (...line: readonly string[]): string[] => complete(commands, line).proposals.map(({ word }) => word);
const values = (...line: readonly string[]): (string | undefined)[] => {
  const { values, current, prefix } = complete(commands, line);
  return [values, current, prefix];
};

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
      "gates",
      "land",
      "undo",
      "lanes",
      "fleet",
      "worker",
      "status",
      "inspect",
      "logs",
      "watch",
      "ui",
      "report",
      "stop",
      "pause",
      "resume",
      "config",
      "notify",
      "doctor",
      "trust",
      "mcp",
      "upgrade",
      "completion",
      "help",
    ]);
    expect(words("con")).toEqual(["context", "config"]);
    expect(words("config", "")).toEqual(["get", "set", "unset", "edit", "path", "schema"]);
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
    expect(words("init", "-")).toEqual([
      "--project",
      "--here",
      "--yes",
      "--force",
      "--dry-run",
      "--try",
      "--trust",
      "--help",
    ]);
    expect(words("init", "--yes", "--f")).toEqual(["--force"]);
    expect(words("task", "dep", "add", "t-1", "--needs", "t-2", "--n")).toEqual(["--needs"]);
  });

  test("values: files and folders are the shell's business", () => {
    expect(words("prompt", "--config", "")).toEqual([":file"]);
    expect(words("task", "import", "")).toEqual([":file"]);
    expect(words("task", "import", "x", "--format", "p")).toEqual(["prd.json", "progress.db"]);
  });

  test("values that have to be looked up, also of every one of many", () => {
    expect(values("prompt", "--project", "a")).toEqual(["project", "a", ""]);
    expect(values("run", "--change", "")).toEqual(["change", "", ""]);
    expect(values("sprint", "status", "sp")).toEqual(["sprint", "sp", ""]);
    expect(values("task", "show", "t-")).toEqual(["task", "t-", ""]);
    expect(values("task", "done", "t-1", "t-2", "")).toEqual(["open-task", "", ""]);
    expect(values("task", "park", "t-1", "Why?")).toEqual([undefined, "Why?", ""]);
    expect(values("config", "get", "li")).toEqual(["config-key", "li", ""]);
    expect(values("run", "--harness", "")).toEqual(["harness", "", ""]);
  });

  test("a value after an equals sign, which bash makes three words of and others one", () => {
    expect(values("prompt", "--project=a")).toEqual(["project", "a", "--project="]);
    expect(values("prompt", "--project", "=", "a")).toEqual(["project", "a", ""]);
    expect(values("prompt", "--project", "=")).toEqual(["project", "", ""]);
    expect(words("run", "--model-strategy=e")).toEqual(["escalate"]);
    expect(words("prompt", "--project", "=", "a", "b")).toEqual(["build"]);
  });

  test("what stands in quotation marks, or will, is the word without them", () => {
    expect(values("prompt", "--project", 'my\\ s"h o')).toEqual(["project", "my sh o", ""]);
    expect(values("prompt", "--project", '"a\\"b\\c')).toEqual(["project", 'a"b\\c', ""]);
    expect(values("prompt", "--project='it\\s ")).toEqual(["project", "it\\s ", "--project="]);
    expect(values("task", "done", "'t-1'", '"')).toEqual(["open-task", "", ""]);
  });

  test("after two dashes there are no options", () => {
    expect(words("run", "--", "-")).toEqual([]);
    expect(words("run", "--strict", "--", "")).toEqual(["plan", "build", "auto"]);
    expect(words("run", "--", "--harness", "")).toEqual([]);
    expect(words("task", "--", "-")).toEqual([]);
  });

  test("a group is described by its verbs, each once", () => {
    const { proposals } = complete(commands, ["task"]);
    expect(proposals).toEqual([
      {
        word: "task",
        doc: "add, list, show, ready, tree, graph, edit, log, done, fail, reset, park, answer, allow, approve, drop, rm, dep, import, export",
      },
    ]);
  });

  test("options of the command that a word alone stands for", () => {
    expect(words("task", "--st")).toEqual(["--status"]);
    expect(words("nope", "--st")).toEqual([]);
  });

  test("help and the program's own options", () => {
    expect(words("--v")).toEqual(["--version"]);
    expect(words("help", "con")).toEqual(["context", "config"]);
    expect(words("help", "s")).toEqual(["step", "sprint", "status", "stop", "specs", "scopes", "sprints", "sessions"]);
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
});
