import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { temporaryRepository } from "../../../test/temporary-folder.ts";
import type { AgentGate } from "../../loop/agent-gates.ts";
import { definitionName } from "../../loop/proofs.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { checkProof, findGates, type ProofRequest } from "./run-gates.ts";

const MINUTES = 60_000;
const PACKAGE = { "package.json": JSON.stringify({ scripts: { test: "touch tested", lint: "touch ran" } }) };

const workspaceWith = (config: string, files: Readonly<Record<string, string>> = {}): Promise<Workspace> =>
  openWorkspace({ cwd: temporaryRepository({ ".ralph/config.yaml": config, ...files }), env: { HOME: "/nowhere" } });

const found = async (config: string, files: Readonly<Record<string, string>> = {}, validationCommand?: string) => {
  const workspace = await workspaceWith(config, files);
  return await findGates({ workspace, folder: workspace.root, validationCommand });
};

describe("P-16 the gates of a run", () => {
  test("P-16 W-06 discovered ones are pinned with their definitions and the usual limit, and none is started", async () => {
    const workspace = await workspaceWith("limits: {gate: 3m}\n", PACKAGE);
    const before = readdirSync(workspace.root);
    expect(await findGates({ workspace, folder: workspace.root })).toEqual({
      gates: [
        { id: "lint", kind: "workspace", run: "CI=1 npm run lint", timeoutMs: 3 * MINUTES, retries: 0 },
        { id: "test", kind: "workspace", run: "CI=1 npm run test", timeoutMs: 3 * MINUTES, retries: 0 },
      ],
      pinned: [
        { id: "lint", run: "CI=1 npm run lint", script: "lint: touch ran", at: "package.json (scripts.lint)" },
        { id: "test", run: "CI=1 npm run test", script: "test: touch tested", at: "package.json (scripts.test)" },
      ],
      source: "auto",
      warnings: [],
    });
    expect(readdirSync(workspace.root)).toEqual(before);
  });

  test("P-16 a configured list takes the place of what could be discovered, and needs no pins", async () => {
    const gates = "gates: [{id: unit, run: make unit, timeout: 30s, retries: 2}, {id: e2e, run: make e2e}]\n";
    expect(await found(gates, PACKAGE)).toEqual({
      gates: [
        { id: "unit", kind: "workspace", run: "make unit", timeoutMs: 30_000, retries: 2 },
        { id: "e2e", kind: "workspace", run: "make e2e", timeoutMs: 10 * MINUTES, retries: 0 },
      ],
      pinned: [],
      source: "configured",
      warnings: [],
    });
  });

  test("P-16 --validation-command is one gate more, with a name of its own", async () => {
    const gates = "gates: [{id: validation-command, run: make one}]\n";
    expect((await found(gates, {}, "make two")).gates).toEqual([
      { id: "validation-command", kind: "workspace", run: "make one", timeoutMs: 10 * MINUTES, retries: 0 },
      { id: "validation-command-2", kind: "command", run: "make two", timeoutMs: 10 * MINUTES, retries: 0 },
    ]);
    await expect(found("", {}, " ")).rejects.toMatchObject({
      kind: "usage",
      message: "--validation-command is empty",
    });
  });

  test("T-12 a gate that an agent wrote stands for none of a person's", async () => {
    const scripts = { check: "npm run lint && npm run test", lint: "eslint .", test: "vitest run" };
    const workspace = await workspaceWith("", { "package.json": JSON.stringify({ scripts }) });
    const ids = async (agents: readonly AgentGate[] = []) =>
      (await findGates({ workspace, folder: workspace.root, agents })).gates.map(({ id, isAgents }) => [
        id,
        isAgents === true,
      ]);
    expect(await ids()).toEqual([["check", false]]);
    const gate = {
      id: "check",
      run: "CI=1 npm run check",
      script: "check: npm run lint && npm run test\nlint: eslint .\ntest: vitest run",
    };
    const written = { id: "check", definition: definitionName(gate, [gate]), task: "t-1", run: "r" };
    expect(await ids([written])).toEqual([
      ["lint", false],
      ["test", false],
      ["check", true],
    ]);
  });

  test("P-16 what discovery has to say is passed on", async () => {
    expect(await found("", { "package.json": "{" })).toEqual({
      gates: [],
      pinned: [],
      source: "auto",
      warnings: ["`package.json` is not a JSON object, so its scripts are not gates"],
    });
  });
});

describe("P-19 a run without any gate", () => {
  const proof = async (
    config: string,
    more: Partial<ProofRequest> & { validationCommand?: string; files?: Record<string, string> } = {},
  ): Promise<string | undefined> => {
    const { files = {}, validationCommand, ...flags } = more;
    const workspace = await workspaceWith(config, files);
    const gates = await findGates({ workspace, folder: workspace.root, validationCommand });
    return checkProof({ workspace, found: gates, tasksHaveGates: false, isStrict: false, ...flags });
  };

  test("P-19 is told so, with the reason", async () => {
    expect(await proof("")).toBe("No gates (none found in the workspace): completed tasks stay unverified");
    expect(await proof("gates: []\n", { files: PACKAGE })).toBe(
      "No gates (the configured list is empty): completed tasks stay unverified",
    );
  });

  test("P-19 X-78 is refused by --strict, with how to add one", async () => {
    await expect(proof("", { isStrict: true })).rejects.toMatchObject({
      kind: "config",
      message: "No gates (none found in the workspace), but --strict requires one",
      hint: "Add gates to .ralph/config.yaml, such as `gates: [{ id: test, run: COMMAND }]`, or use --validation-command COMMAND",
    });
  });

  test("P-19 is none when the workspace, the command line, every task or a reviewer brings one", async () => {
    const isStrict = true;
    expect([
      await proof("", { isStrict, files: PACKAGE }),
      await proof("gates: [{id: a, run: b}]\n", { isStrict }),
      await proof("", { isStrict, validationCommand: "make check" }),
      await proof("", { isStrict, tasksHaveGates: true }),
      await proof("verify: {reviewer: claude}\n", { isStrict }),
    ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
