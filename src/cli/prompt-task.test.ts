import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryRepository, write } from "../../test/temporary-folder.ts";
import { openStore } from "../app/task-store.ts";
import type { Settlement } from "../domain/settlement.ts";

interface Sections {
  readonly prompt: {
    readonly text: string;
    readonly sections: readonly { readonly name: string; readonly text: string }[];
  };
}

const repository = async (): Promise<string> => {
  const cwd = temporaryRepository({ "README.md": "x" });
  await type(["init", "--yes"], { cwd });
  write(cwd, { ".ralph/specs/a.md": "spec" });
  return cwd;
};

const sent = async (cwd: string, ...argv: readonly string[]): Promise<Sections["prompt"]> =>
  (JSON.parse((await type(["prompt", ...argv, "--json"], { cwd })).stdout) as Sections).prompt;

const lastLineOf = (text: string): string | undefined => /## Current Iteration: .*/.exec(text)?.[0];

describe("ralphctl prompt build, with tasks", () => {
  let cwd = "";
  let dropped = "";
  let id = "";

  const attempt = async (settlement: Settlement): Promise<void> => {
    const { store } = await openStore(cwd, {});
    const owner = { host: "here", pid: 1, startTime: "1" };
    const claim = (await store.claim({ owner, leaseMs: 60_000, run: "r-1", iteration: 1 }))!;
    await store.settle(claim.lease, settlement);
    await store.close();
  };

  beforeAll(async () => {
    cwd = await repository();
    write(cwd, { Makefile: "test:\n\ttouch started\n" });
    const add = async (...argv: string[]): Promise<string> =>
      (await type(["task", "add", ...argv], { cwd })).stdout.trim();
    dropped = await add("Add users");
    await type(["task", "drop", dropped, "--reason", "there already"], { cwd });
    id = await add("Add login", "--needs", dropped, "--acceptance", "A user can log in");
    await add("Add logout", "--needs", id);
  });

  test("S001-R4 shows the next ready task, as the next iteration would be sent it", async () => {
    const { sections } = await sent(cwd, "build");
    expect(sections.map(({ name }) => name)).toEqual(["preamble", "prompt", "task", "verification", "preamble"]);
    expect(sections[2]!.text).toBe(`\n\n---\n\n## Assigned Task

**ID:** ${id}
**Title:** Add login

### Description
See the title.

### Completed Prerequisites
- [${dropped}] Add users: not done: dropped (there already)

### Reference Specs
Read all files in: .ralph/specs`);
    expect(sections[3]!.text).toBe(`\n\n---\n\n## How this will be verified

The task is done when all of this is true:

- A user can log in

When you claim the task, Ralph runs these checks. All must pass:

- \`make-test\`: CI=1 make test`);
  });

  test("P-42 counts iterations as the loop does: three for each open task, and twenty", async () => {
    expect(lastLineOf((await sent(cwd, "build")).text)).toBe("## Current Iteration: 1 / 26 (min: 1)");
    expect(lastLineOf((await sent(cwd, "build", "--max-iterations", "4")).text)).toBe(
      "## Current Iteration: 1 / 4 (min: 1)",
    );
  });

  test("S002-09 D-05 shows what the last attempt left: rejection, harness failure, protocol notes", async () => {
    const details = { v: 1, report: "Gate `test` failed", folder: "f", harness: "h" };
    await attempt({ outcome: "rejected", to: "pending", counted: true, reason: "test is red", details });
    const after = { v: 1, harnessFailure: "exit code 137", notes: ["wrong id"], folder: "f", harness: "h" };
    await attempt({ outcome: "crashed", to: "pending", counted: true, reason: "exit code 137", details: after });
    const { sections, text } = await sent(cwd, "build");
    expect(sections.map(({ name }) => name)).toEqual([
      "preamble",
      "validation-failure",
      "preamble",
      "prompt",
      "task",
      "verification",
      "earlier-attempts",
      "harness-failure",
      "protocol-notes",
      "preamble",
    ]);
    expect(text).toContain("\n\nGate `test` failed\n\n---\n## Your Task\n");
    expect(text).toContain(
      "- r-1, iteration 1: claimed done, rejected: test is red\n- r-1, iteration 1: the agent crashed",
    );
  });

  test("P-04 plan mode is assigned no task", async () => {
    const { sections, text } = await sent(cwd, "plan");
    expect(sections.map(({ name }) => name)).toEqual(["preamble", "prompt", "preamble"]);
    expect(lastLineOf(text)).toBe("## Current Iteration: 1 / 3 (min: 1)");
  });

  test("P-15 P-16 the gates of the workspace follow the task's own", async () => {
    const { store } = await openStore(cwd, {});
    await store.update(id, { gates: [{ id: "own", run: "make own", retries: 0 }] }, "person");
    await store.close();
    const { sections } = await sent(cwd, "build");
    const { text } = sections.find(({ name }) => name === "verification")!;
    expect(text.split("must pass:\n\n")[1]).toBe("- `own`: make own\n- `make-test`: CI=1 make test");
  });

  test("W-06 leaves the tasks and the files as they are", async () => {
    const files = (): string[] => readdirSync(join(cwd, ".ralph"), { recursive: true, encoding: "utf8" }).sort();
    const before = [files(), (await type(["task", "export"], { cwd })).stdout];
    await sent(cwd, "build");
    expect([files(), (await type(["task", "export"], { cwd })).stdout]).toEqual(before);
  });

  test("W-06 writes nothing into the database, also where the plan file has news that the prompt must tell", async () => {
    const path = join(cwd, ".ralph", "ralph.db");
    const database = () => ({ bytes: readFileSync(path, "base64"), changedMs: statSync(path).mtimeMs });
    const before = database();
    await sent(cwd, "build");
    expect(database()).toEqual(before);
    write(cwd, { "IMPLEMENTATION_PLAN.md": "- [ ] Add a profile\n- [ ] Add a picture\n" });
    expect(lastLineOf((await sent(cwd, "build")).text)).toBe("## Current Iteration: 1 / 32 (min: 1)");
    expect(database()).toEqual(before);
  });
});

describe("ralphctl prompt build, without tasks", () => {
  test("P-42 P-03 a prompt file of one's own is the task, and has ten iterations; the template has no number", async () => {
    const cwd = await repository();
    expect(lastLineOf((await sent(cwd, "build")).text)).toBe("## Current Iteration: 1 (unlimited) (min: 1)");
    write(cwd, { "PROMPT_build.md": "Make it fast.\n" });
    const { sections, text } = await sent(cwd, "build");
    expect(sections.map(({ name }) => name)).toEqual(["preamble", "prompt", "preamble"]);
    expect(lastLineOf(text)).toBe("## Current Iteration: 1 / 10 (min: 1)");
  });

  test("W-06 a workspace that has never had a task gets no store", async () => {
    const cwd = await repository();
    await sent(cwd, "build");
    expect(readdirSync(join(cwd, ".ralph")).filter((name) => name.startsWith("ralph.db"))).toEqual([]);
  });
});
