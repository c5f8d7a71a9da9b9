import { rmSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fleetPlay, until } from "../fleet-play.ts";
import { addHook, serveByDaemon } from "../git-remote.ts";
import { postgresMissing } from "../postgres.ts";
import { commitAll, git, temporaryFolder, write } from "../temporary-folder.ts";

const WORK = 'echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"';
const PATIENT = 600_000;

/** A clone of a person, who is no part of the fleet. */
function person(bare: string): string {
  const folder = join(temporaryFolder(), "person");
  git(temporaryFolder(), "clone", "--quiet", bare, folder);
  git(folder, "config", "user.name", "Person");
  git(folder, "config", "user.email", "person@example.invalid");
  return folder;
}

describe.skipIf(postgresMissing !== undefined)("several machines", () => {
  test(
    "F-03 three workers share a graph, over git's own protocol, and the follower hears of all",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: WORK, remote: async (bare) => (await serveByDaemon(bare)).url });
      await play.addTasks([["A"], ["B"], ["C"], ["D", 0, 1], ["E", 2], ["F", 3, 4], ["G"], ["H", 6]]);
      const workers = [1, 2, 3].map(() => play.machine().start("worker", "--once", "--lanes", "2"));
      const run = await play.machine().type("run", "--fleet", "--json");
      expect(run, workers.map(({ said }) => said()).join("\n")).toMatchObject({ code: 0 });
      expect(await play.faults()).toEqual([]);
      expect(play.subjects().toSorted()).toEqual(["A", "B", "C", "D", "E", "F", "G", "H"]);
      for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
      const events = run.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { type: string; iteration?: number });
      const finished = events.filter(({ type }) => type === "iteration.finished").map(({ iteration }) => iteration);
      expect(new Set(finished).size).toBe(finished.length);
      expect(finished.length).toBeGreaterThan(4);
    },
  );

  test(
    "F-03 L-25 work of two machines that conflicts is done again on top of the other",
    { timeout: PATIENT },
    async () => {
      const meet =
        'touch "$MEET/at-$RALPHCTL_TASK"; until [ $(ls "$MEET" | grep -c "^at-") -ge 2 ]; do sleep 0.1; done';
      const play = await fleetPlay({
        agent: `${meet}\necho "$RALPHCTL_TASK" >> shared.txt`,
        files: { "shared.txt": "one\n" },
      });
      const ids = await play.addTasks([["First"], ["Second"]]);
      const workers = [1, 2].map(() => play.machine().start("worker", "--once"));
      const run = await play.machine().type("run", "--fleet");
      expect(run, workers.map(({ said }) => said()).join("\n")).toMatchObject({ code: 0 });
      expect(await play.faults()).toEqual([]);
      const lines = git(play.bare, "cat-file", "blob", "main:shared.txt").split("\n");
      expect([lines[0], lines.slice(1).toSorted()]).toEqual(["one", ids.toSorted()]);
      const conflicts = await Promise.all(
        ids.map(async (id) => (await play.shared.store.attempts(id)).map(({ outcome }) => outcome)),
      );
      expect(conflicts.flat().toSorted()).toEqual(["conflict", "verified", "verified"]);
    },
  );

  test(
    "F-03 L-20 work of two machines that is red only together never lands together",
    { timeout: PATIENT },
    async () => {
      const meet =
        'touch "$MEET/at-$RALPHCTL_TASK"; until [ $(ls "$MEET" | grep -c "^at-") -ge 2 ]; do sleep 0.1; done';
      const agent = `${meet}\nif ls bad-* > /dev/null 2>&1; then rm -f "bad-$RALPHCTL_TASK"; echo > "good-$RALPHCTL_TASK"; else echo > "bad-$RALPHCTL_TASK"; fi`;
      const play = await fleetPlay({ agent, gate: "test $(ls | grep -c '^bad-') -le 1" });
      await play.addTasks([["First"], ["Second"]]);
      const workers = [1, 2].map(() => play.machine().start("worker", "--once"));
      const run = await play.machine().type("run", "--fleet");
      expect(run, workers.map(({ said }) => said()).join("\n")).toMatchObject({ code: 0 });
      expect(await play.faults()).toEqual([]);
      const files = git(play.bare, "ls-tree", "--name-only", "main").split("\n");
      expect(files.filter((name) => name.startsWith("bad-"))).toHaveLength(1);
    },
  );

  test(
    "F-03 L-24 commits that a person pushes, or a changed history, are part of what lands next",
    { timeout: PATIENT },
    async () => {
      const agent = `${WORK}\ntouch "$MEET/began"; until [ -e "$MEET/go-$RALPHCTL_ITERATION" ]; do sleep 0.1; done`;
      const play = await fleetPlay({ agent, gate: "test ! -e red.txt" });
      await play.addTasks([["First"], ["Second", 0]]);
      const worker = play.machine().start("worker", "--once");
      const run = play.machine().start("run", "--fleet");
      await until(async () => Object.values(await play.states()).includes("in_progress"), "a session");
      const folder = person(play.bare);
      write(folder, { "person.txt": "1\n" });
      commitAll(folder, "By a person");
      git(folder, "push", "--quiet", "origin", "main");
      writeFileSync(join(play.meeting, "go-1"), "");
      await until(async () => (await play.states())["First"] === "done", "the first task");
      // The person takes their own commit back, and with it what landed on top.
      git(folder, "fetch", "--quiet");
      git(folder, "reset", "--quiet", "--hard", "HEAD^");
      write(folder, { "other.txt": "1\n" });
      commitAll(folder, "By a person, again");
      git(folder, "push", "--quiet", "--force", "origin", "main");
      writeFileSync(join(play.meeting, "go-2"), "");
      writeFileSync(join(play.meeting, "go-3"), "");
      const { code } = await run.ended;
      expect(code, run.said() + worker.said()).toBe(0);
      expect(play.subjects().at(0)).toBe("By a person, again");
      expect(play.subjects()).toContain("Second");
      expect(`${run.said()}${worker.said()}`).toContain(
        "was changed, and the run goes on from there; the old one is refs/ralph/lost/",
      );
    },
  );

  test(
    "F-07 a remote that is away, refuses, or lost its branch is waited for, and said once",
    { timeout: PATIENT },
    async () => {
      const agent = `${WORK}\nuntil [ -e "$MEET/go-$RALPHCTL_ITERATION" ]; do sleep 0.1; done`;
      const play = await fleetPlay({ agent });
      await play.addTasks([["First"], ["Second", 0], ["Third", 1]]);
      const worker = play.machine().start("worker", "--once");
      const run = play.machine().start("run", "--fleet");
      const go = (n: number): void => writeFileSync(join(play.meeting, `go-${n}`), "");
      await until(async () => (await play.states())["First"] === "in_progress", "the first session");
      renameSync(play.bare, `${play.bare}-away`);
      go(1);
      await until(() => worker.said().includes("There is no repository at the remote origin"), "a word about it");
      renameSync(`${play.bare}-away`, play.bare);
      await until(async () => (await play.states())["Second"] === "in_progress", "the second session");
      addHook(
        play.bare,
        "pre-receive",
        'while read -r old new ref; do [ "$ref" != refs/heads/main ] || { echo "Closed for today" >&2; exit 1; }; done',
      );
      go(2);
      await until(() => worker.said().includes("refused the push: Closed for today"), "a word about the hook");
      rmSync(join(play.bare, "hooks/pre-receive"));
      await until(async () => (await play.states())["Third"] === "in_progress", "the third session");
      const head = git(play.bare, "rev-parse", "main");
      git(play.bare, "update-ref", "-d", "refs/heads/main");
      go(3);
      await until(() => worker.said().includes("has no branch main any more"), "a word about the branch");
      git(play.bare, "update-ref", "refs/heads/main", head);
      expect((await run.ended).code, run.said() + worker.said()).toBe(0);
      expect([play.subjects(), await play.faults()]).toEqual([["First", "Second", "Third"], []]);
      expect(worker.said().match(/Closed for today/g)).toHaveLength(1);
    },
  );
});
