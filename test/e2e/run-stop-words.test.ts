import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { PROGRAM } from "../built-program.ts";
import { wrapped } from "../../src/format/run-text.ts";
import { eventsOf } from "../hostile-run.ts";
import { fileAppears, processesOf, startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

const SIGNS = { ".gitignore": "*.sign\n" };
const STOPPING =
  "Stopping: waiting for running processes to exit; an unfinished task is released; press Ctrl-C again to kill them";

const summary = (tasks: string, iterations: string): string => `Stopped by you

  Tasks       ${tasks}
  Iterations  ${iterations}
  Cost        not reported
  Commits     none

Next:
  ralphctl run
`;

/** From the key on, without the times of a log. */
const afterKey = (output: string): string =>
  output
    .replaceAll("\r", "")
    .split(/\^C\n?/)[1]!
    .replaceAll(/^\d\d:\d\d:\d\d {2}/gm, "")
    .replace(/in \d+s/, "in TIME");

test.runIf(hasTerminals).each([
  ["an agent works", "- - run: touch $HOME/on.sign; sleep 60\n", "exit 1", "1 in TIME"],
  ["gates run", "- - say: <task-done>{task}</task-done>\n", "touch $HOME/on.sign; sleep 60", "0 in TIME"],
])("P-40 Ctrl-C while %s is answered by one line, and another at the end", async (_, script, gate, iterations) => {
  const place = await loopWorkspace({ script, config: `gates: [{ id: g, run: ${gate} }]\n`, files: SIGNS });
  const run = startAtTerminal([process.execPath, PROGRAM, "run", "--plain"], place.folder);
  await fileAppears(join(place.folder, "on.sign"));
  run.child.stdin.write("\u0003");
  expect(await run.ended).toBe(130);
  expect(afterKey(run.output())).toBe(`${STOPPING}\n\n${summary("1 ready", iterations)}`);
});

test.runIf(hasTerminals)("P-40 in the live view, the line about a stop breaks between words", async () => {
  const script = "- - run: touch $HOME/on.sign; sleep 60\n";
  const place = await loopWorkspace({ script, config: 'gates: [{ id: g, run: "true" }]\n', files: SIGNS });
  const command = 'stty cols 60; exec "$0" "$@"';
  const run = startAtTerminal(["/bin/sh", "-c", command, process.execPath, PROGRAM, "run"], place.folder);
  await fileAppears(join(place.folder, "on.sign"));
  run.child.stdin.write("\u0003");
  expect(await run.ended).toBe(130);
  expect(stripVTControlCharacters(run.output()).replaceAll("\r", "")).toContain(
    `\n${wrapped(STOPPING, 59).join("\n")}\n`,
  );
});

test.runIf(hasTerminals)(
  "L-10 L-40 there is one proof at a time; at Ctrl-C one line says what is awaited, and the proof ends and lands",
  async () => {
    const gate = "test ! -f done.txt || { touch $HOME/on.sign; until test -f $HOME/go.sign; do sleep 0.02; done; }";
    const place = await loopWorkspace({
      script: '- - write: { path: done.txt, text: "yes" }\n  - say: <task-done>{task}</task-done>\n',
      config: `gates: [{ id: g, run: "${gate}" }]\n`,
      tasks: ["First", "Second"],
      files: SIGNS,
    });
    const run = startAtTerminal([process.execPath, PROGRAM, "run", "--plain"], place.folder);
    await fileAppears(join(place.folder, "on.sign"));
    const other = await place.ralphctl("verify");
    expect([other.code, other.stderr]).toEqual([75, expect.stringContaining("in use by run ")]);
    run.child.stdin.write("\u0003");
    await vi.waitUntil(() => run.output().includes("Ctrl-C again"), { timeout: 50_000, interval: 10 });
    place.write({ "go.sign": "" });
    expect(await run.ended).toBe(130);
    const [line, ...more] = afterKey(run.output()).split("\n");
    expect(line).toBe(
      `Stopping: waiting for the proof of ${place.ids[0]} to end; the work lands if it holds; press Ctrl-C again to stop it at once`,
    );
    expect(more.filter((text) => /Iteration |Stopped by you|Tasks /.test(text))).toEqual([
      "Stopped by you",
      "  Tasks       1 unbroken · 1 ready",
    ]);
    expect([place.commits(), processesOf(place.folder)]).toEqual([["First"], []]);
  },
);

test.concurrent("P-40 X-130 a stop after the last verified task says that all is done", async () => {
  const place = await loopWorkspace({
    script: '- - write: { path: done.txt, text: "yes" }\n  - say: <task-done>{task}</task-done>\n',
    config: `gates: [{ id: test, run: test -f done.txt }]\nhooks: [{ id: wait, on: task-done, run: "touch $HOME/on.sign; sleep 60" }]\n`,
    files: SIGNS,
  });
  const run = startLive(place.folder);
  await fileAppears(join(place.folder, "on.sign"));
  run.signal("SIGINT");
  const { code, finished, stderr } = await run.ended;
  expect([code, finished?.ending, finished?.reason]).toEqual([
    130,
    "interrupted",
    "All tasks were done when you stopped the run",
  ]);
  expect(stderr).toMatch(
    /^Stopping: .* is released\nAll tasks were done .*\n[^]*\nNext:\n {2}ralphctl verify\n {2}git log --oneline \w+\.\.main\n$/,
  );
});

test.concurrent("P-02 words are about themselves: nobody is warned that there are no specs", async () => {
  const place = await loopWorkspace({
    script: '- - write: { path: done.txt, text: "yes" }\n  - say: <task-done>{task}</task-done>\n',
    tasks: [],
  });
  const run = await place.run("Say yes");
  expect([run.code, eventsOf(run, "run.notice").filter(({ level }) => level === "warning")]).toEqual([0, []]);
  const dry = await place.ralphctl("run", "--dry-run", "Say no");
  expect([dry.code, dry.stderr]).toEqual([0, ""]);
});
