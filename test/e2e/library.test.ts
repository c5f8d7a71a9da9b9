import { execFile } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";

/** Sessions one after the other: what each writes into done.txt, or nothing, before it claims to be done. */
const claims = (...texts: readonly (string | undefined)[]): string =>
  JSON.stringify(
    texts.map((text) => {
      const claim = { say: "<task-done>{task}</task-done>" };
      return text === undefined ? [claim] : [{ write: { path: "done.txt", text } }, claim];
    }),
  );

/** Runs a program of `examples/` in a workspace, as a user's own program would. */
async function example(name: string, place: Pick<LoopWorkspace, "folder">, ...args: readonly string[]) {
  return await program([join("examples", name), place.folder, ...args]);
}

/** Runs a program that has no more than the package's name. */
const script = async (text: string) =>
  await program(["--input-type=module", "--eval", `import { openWorkspace, run } from "ralphctl";\n${text}`]);

async function program(args: readonly string[]) {
  return await new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const env = { ...process.env, RALPHCTL_ATTEMPT: undefined };
    const child = execFile(process.execPath, [...args], { env, timeout: 50_000 }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

const workspace = async (more: Partial<WorkspaceOptions> = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({ script: claims("x"), tasks: ["Write done.txt"], ...more });

describe("examples", () => {
  test.concurrent("watch-a-run.mjs tells of each iteration, and how it ended", async () => {
    const place = await workspace({
      script: claims(undefined, "x"),
    });
    expect(await example("watch-a-run.mjs", place)).toEqual({
      code: 0,
      stderr: "",
      stdout:
        "Iteration 1: Write done.txt\n  rejected: gate test: exit code 1\n" +
        "Iteration 2: Write done.txt\n  verified\ncomplete: 1 verified, 1 commits\n",
    });
  });

  test.concurrent("own-harness.mjs drives any program, whose claim has to hold like any other", async () => {
    const place = await workspace();
    const agent = join(place.folder, ".git", "my-agent");
    place.write({
      ".git/my-agent":
        '#!/bin/sh\ncat >/dev/null; echo "$MY_AGENT_MODE" >done.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"\n',
    });
    chmodSync(agent, 0o755);
    expect(await example("own-harness.mjs", place, agent)).toEqual({
      code: 0,
      stderr: "",
      stdout: "complete: 1 verified\n",
    });
    expect([place.read("done.txt"), place.commits()]).toEqual(["unattended\n", ["Write done.txt"]]);
    expect((await example("own-harness.mjs", place, "no-such-agent")).stderr).toContain(
      "The harness mine needs the program no-such-agent, which is not on the PATH",
    );
  });

  test.concurrent("own-gate.mjs rejects what its function does not let pass, and tells the agent why", async () => {
    const place = await workspace({
      script: claims("FIXME later", "now"),
    });
    const { code, stdout, stderr } = await example("own-gate.mjs", place);
    expect([code, stderr, stdout.split("\n")]).toEqual([
      0,
      "",
      [
        "test: passed",
        "no-leftovers: failed",
        "Resolve these:",
        "done.txt:1:FIXME later",
        "",
        "test: passed",
        "no-leftovers: passed",
        "complete",
        "",
      ],
    ]);
    expect(place.git("log", "-1", "--format=%s")).toBe("Write done.txt");
  });

  test.concurrent("plan-tasks.mjs writes tasks and context down", async () => {
    const place = await workspace({ tasks: [] });
    expect(await example("plan-tasks.mjs", place)).toEqual({
      code: 0,
      stderr: "",
      stdout: "ready  Write the data model\nlater  Write the form\nNext: Write the data model\n",
    });
    expect((await place.ralphctl("context", "show")).stdout).toContain("Use the words of docs/glossary.md.");
  });
});

describe("run", () => {
  test.concurrent("W-07 the next run can be started as soon as one has said its end", async () => {
    const place = await workspace();
    const { stdout, stderr } = await script(`
      const cwd = ${JSON.stringify(place.folder)};
      let next;
      for await (const { type } of run({ cwd })) if (type === "run.finished") next = run({ cwd }).finished;
      console.log((await next).ending);`);
    expect([stdout, stderr]).toEqual(["complete\n", ""]);
  });

  test.concurrent("whoever leaves the loop early stops the run, and has waited for its end", async () => {
    const place = await workspace({ script: "[[{ delayMs: 60000 }]]" });
    const { code, stdout } = await script(`
      const started = run({ cwd: ${JSON.stringify(place.folder)} });
      for await (const event of started) if (event.type === "iteration.started") break;
      console.log((await started.finished).ending);`);
    expect([code, stdout]).toEqual([0, "interrupted\n"]);
  });

  test.concurrent("a signal stops it; who never listens holds nobody up", async () => {
    const place = await workspace({ script: "[[{ delayMs: 60000 }]]" });
    const { stdout } = await script(`
      const { finished } = run({ cwd: ${JSON.stringify(place.folder)}, signal: AbortSignal.timeout(1500) });
      console.log((await finished).ending);`);
    expect(stdout).toBe("interrupted\n");
  });

  test.concurrent("what cannot begin is a RalphError with a hint, for those who listen and those who wait", async () => {
    const { code, stdout } = await script(`
      const cwd = "/";
      const told = [];
      const keep = ({ name, kind, hint }) => told.push([name, kind, hint]);
      await run({ cwd }).finished.catch(keep);
      try { for await (const _ of run({ cwd })); } catch (error) { keep(error); }
      await openWorkspace({ cwd }).catch(keep);
      console.log(JSON.stringify(told));`);
    const error = ["RalphError", "config", "Run ralphctl init"];
    expect([code, JSON.parse(stdout)]).toEqual([0, [error, error, error]]);
  });

  test.concurrent("keys of the configuration are named as in its file", async () => {
    const place = await workspace({ script: "[[{ say: Nothing yet }]]", tasks: ["Write done.txt"] });
    const { stdout } = await script(`
      const cwd = ${JSON.stringify(place.folder)};
      const { ending, iterations } = await run({ cwd, config: { limits: { iterations: 2, noProgress: 9 } } }).finished;
      console.log(ending, iterations);
      await run({ cwd, config: { limits: { iteration: 2 } } }).finished.catch(({ message, hint }) => console.log(message, hint));
      await run({ cwd, gates: [{ id: "../x", run: "true" }] }).finished.catch(({ message }) => console.log(message));`);
    expect(stdout).toBe(
      "limit 2\n" +
        "Unknown key limits.iteration; the closest is limits.iterations Write `limits.iterations`\n" +
        'Invalid gate id "../x"\n',
    );
  });
});
