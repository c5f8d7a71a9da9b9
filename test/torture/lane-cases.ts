import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { eventsOf } from "../run-seen.ts";
import type { LoopRun } from "../loop-workspace.ts";
import { comes } from "../many-lanes.ts";
import type { TortureCase } from "./case.ts";
import { MOUNTS, onTinyCopy } from "./mounts.ts";
import { lanePersonCases } from "./lane-person-cases.ts";
import { allAtWork, heldFile, laneCase, meanwhile, ownFile } from "./lane-play.ts";

const execute = promisify(execFile);
const MORE = ["Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
const ALL_TASKS = ["One", "Two", "Three", "Four", ...MORE];

const containing = (text: string): string => expect.stringContaining(text) as string;

/** Another git may be at work. */
async function gc(folder: string): Promise<false> {
  await execute("git", ["gc", "--quiet", "--prune=now"], { cwd: folder }).catch(() => undefined);
  return false;
}

/** Somebody else may have the port already, which is just as good. */
async function listenOn(...ports: readonly number[]): Promise<() => void> {
  const servers = ports.map((port) =>
    createServer()
      .on("error", () => undefined)
      .listen({ port, host: "127.0.0.1" }),
  );
  await Promise.all(
    servers.map(async (server) => await Promise.race([once(server, "listening"), once(server, "error")])),
  );
  return () => {
    for (const server of servers) server.close();
  };
}

const lanes = (run: LoopRun): number[] => [...new Set(eventsOf(run, "iteration.started").map(({ lane }) => lane))];

/** What happens to four agents that work at once. */
export const laneCases: readonly TortureCase[] = [
  ...lanePersonCases,
  laneCase({
    name: "same-file-in-four-lanes",
    proves: "L-25",
    about: "Four agents add a line at the same place of the same file.",
    required: "Each line lands. Work that conflicts goes back to its task, alone in the end, and that is no attempt.",
    session: (marks) =>
      `touch ${marks}/on-$RALPHCTL_TASK; until [ $(ls ${marks} | grep -c ^on-) -ge 4 ]; do sleep 0.02; done; echo $RALPHCTL_TASK >> list.txt`,
    workspace: () => ({
      files: { "list.txt": "start\n" },
      config: "specs: { dirs: [] }\ngates: [{ id: test, run: sleep 0.3 }]\nlimits: { attempts: 1, conflicts: 1 }\n",
    }),
    act: async (play) => {
      const run = await play.play();
      const lines = play.read("list.txt").trim().split("\n").slice(1);
      const others = run.outcomes.filter((outcome) => outcome !== "verified" && outcome !== "conflict");
      return { lines: lines.toSorted().join() === play.ids.toSorted().join(), others };
    },
    expected: {
      outcomes: ["conflict", "conflict", "conflict", "verified", "verified", "verified", "verified"],
      told: Array.from({ length: 6 }, () => "Work that landed during the session conflicts with it, in list.txt"),
      more: { lines: true, others: [] },
    },
  }),
  laneCase({
    name: "red-only-in-combination",
    proves: "L-20 L-25",
    about: "The work of each of four agents is green, and that of any two of them is red.",
    required: "One lands. The others go back without an attempt, and do it another way. No red tree lands.",
    session: (marks) =>
      `touch ${marks}/on-$RALPHCTL_TASK; until [ $(ls ${marks} | grep -c ^on-) -ge 4 ]; do sleep 0.02; done; ` +
      "if [ -e $RALPHCTL_TASK.part ] || ls *.part >/dev/null 2>&1; then rm -f $RALPHCTL_TASK.part; else echo x > $RALPHCTL_TASK.part; fi; echo x > $RALPHCTL_TASK.txt",
    workspace: () => ({
      config:
        "specs: { dirs: [] }\ngates: [{ id: test, run: '[ $(cat *.part 2>/dev/null | wc -l) -le 1 ]' }]\nlimits: { attempts: 1 }\n",
    }),
    act: async (play) => {
      await play.play();
      return {
        parts: play
          .git("ls-tree", "--name-only", "HEAD")
          .split("\n")
          .filter((path) => path.endsWith(".part")).length,
      };
    },
    expected: {
      outcomes: ["conflict", "conflict", "conflict", "verified", "verified", "verified", "verified"],
      told: Array.from(
        { length: 6 },
        () => "These gates fail only together with work that landed during the session: test",
      ),
      more: { parts: 1 },
    },
  }),
  laneCase({
    name: "set-up-fails-in-one-lane",
    proves: "L-04",
    about: "The set-up of lane 3 fails when the lane is opened.",
    required: "The lane is left out with a message, and the others do all tasks.",
    session: () => "sleep 0.5; echo x > $RALPHCTL_TASK.txt",
    workspace: () => ({
      config: `specs: { dirs: [] }\ngates: [{ id: test, run: test ! -e broken }]\nlanes: { setup: '[ "$RALPHCTL_LANE" != 3 ]' }\n`,
    }),
    act: async (play) => ({ lanes: lanes(await play.play()).includes(3) }),
    expected: {
      told: [containing("Lane 3 is left out: Set-up of lane 3 failed")],
      more: { lanes: false },
    },
  }),
  laneCase({
    name: "set-up-fails-later-in-one-lane",
    proves: "L-04",
    about: "Work that lands changes the lock file, and then the set-up of lane 1 fails.",
    required: "Lane 1 is left out with a message. Its task is not counted, and another lane does it.",
    session: (marks) =>
      `touch ${marks}/on-$RALPHCTL_LANE; [ $RALPHCTL_LANE = 1 ] || ${comes(`${marks}/changed`)}; echo x > $RALPHCTL_TASK.txt; [ $RALPHCTL_LANE != 1 ] || echo '{"version":2}' > package-lock.json`,
    workspace: (marks) => ({
      tasks: ["One", "Two", "Three", "Four"],
      files: { "package-lock.json": "{}\n", "package.json": "{}\n" },
      config: `specs: { dirs: [] }\ngates: [{ id: test, run: test ! -e broken }]\nlanes: { count: 2, setup: '[ "$RALPHCTL_LANE" != 1 ] || ! grep -q version package-lock.json || { touch ${marks}/changed; false; }' }\n`,
    }),
    act: async (play) => {
      await play.start("--lanes", "2").ended;
    },
    expected: {
      outcomes: ["stopped", "verified", "verified", "verified", "verified"],
      told: [containing("Lane 1 is left out: Set-up of lane 1 failed"), containing("Set-up of lane 1 failed")],
    },
  }),
  laneCase({
    name: "set-up-fails-in-all-lanes",
    proves: "L-04 X-78",
    about: "Work that lands changes the lock file, and then the set-up fails in every lane.",
    required: "Exit 78 with the output of set-up. No attempt is counted, and what landed stays.",
    session: () => "echo x > $RALPHCTL_TASK.txt; echo '{\"version\":2}' > package-lock.json",
    workspace: () => ({
      tasks: ALL_TASKS.slice(0, 8),
      files: { "package-lock.json": "{}\n", "package.json": "{}\n" },
      config: `specs: { dirs: [] }\ngates: [{ id: test, run: test ! -e broken }]\nlanes: { setup: '[ "\${RALPHCTL_LANE:-room}" = room ] || ! grep version package-lock.json' }\n`,
    }),
    act: async (play) => {
      await play.play();
      const list = JSON.parse((await play.task("list", "--json")).stdout) as { readonly attempts: number }[];
      return { attempts: list.reduce((sum, { attempts }) => sum + attempts, 0) };
    },
    expected: {
      codes: [78],
      outcomes: [...Array.from({ length: 4 }, () => "stopped"), ...Array.from({ length: 4 }, () => "verified")],
      states: Object.fromEntries(ALL_TASKS.slice(0, 8).map((title, at) => [title, at < 4 ? "done" : "pending"])),
      told: [
        ...[1, 2, 3, 4].map((lane) => containing(`Lane ${lane} is left out: Set-up of lane ${lane} failed`)),
        ...[1, 2, 3, 4].map((lane) => containing(`Set-up of lane ${lane} failed`)),
        containing("error: Set-up of lane "),
      ],
      more: { attempts: 0 },
    },
  }),
  laneCase({
    name: "disk-full-in-lane-3",
    proves: "L-04 L-42 X-74",
    about: "A folder of lane 3 is a small disk, which the agent in it fills.",
    required:
      "Only that lane is left out, with a message, once it can't be filled. The others do the tasks that are left.",
    needs: MOUNTS,
    session: (marks) =>
      `touch ${marks}/on-$RALPHCTL_TASK; until [ $(ls ${marks} | grep -c ^on-) -ge 4 ]; do sleep 0.02; done; ` +
      `echo $RALPHCTL_TASK > data/$RALPHCTL_TASK.txt; [ $RALPHCTL_LANE != 3 ] || [ ! -e ${marks}/small ] || head -c 4000000 /dev/zero > data/big.fill; true`,
    workspace: () => ({ files: { ".gitignore": "*.fill\n", "data/first.txt": "first\n" } }),
    act: async (play) => {
      await play.play();
      for (const name of readdirSync(play.marks)) rmSync(join(play.marks, name));
      writeFileSync(join(play.marks, "small"), "");
      for (const title of MORE) await play.task("add", title);
      await play.under(onTinyCopy(join(await play.lane(3), "data"), play.folder));
    },
    expected: {
      codes: [0, 0],
      outcomes: ["stopped", ...Array.from({ length: 12 }, () => "verified")],
      states: Object.fromEntries(ALL_TASKS.map((title) => [title, "done"])),
      commits: ALL_TASKS.toSorted(),
      told: [containing("Lane 3 is left out: "), containing("unable to write file data/")],
    },
  }),
  laneCase({
    name: "lane-removed-beside-three",
    proves: "L-41 T-40",
    about: "Somebody removes the folder of lane 2 while four agents work.",
    required: "Only the work in that lane is lost. The lane is made again, and its task is done.",
    session: heldFile,
    act: async (play) => {
      const lane = await play.lane(2);
      await meanwhile(play, () => rmSync(lane, { recursive: true, force: true }));
    },
    expected: {
      outcomes: ["rejected", "verified", "verified", "verified", "verified"],
      told: [
        containing("was removed or replaced during the session, so its changes are lost"),
        containing("was removed or replaced during the session, so there is no work to prove"),
        containing("was removed or replaced during the session, so there is no work to prove"),
      ],
    },
  }),
  laneCase({
    name: "branch-deleted-by-four-agents",
    proves: "L-07 T-41",
    about: "Each of four agents deletes the branch in its clone.",
    required: "Their files land, and the person's branch follows.",
    session: (marks) => `${ownFile(marks)}; git switch -q --detach; git branch -qD main`,
    act: async (play) => {
      await play.play();
      return { branch: play.git("branch", "--show-current"), status: play.git("status", "--porcelain") };
    },
    expected: { more: { branch: "main", status: "" } },
  }),
  laneCase({
    name: "person-branch-deleted-by-four-agents",
    proves: "L-24 T-41",
    about: "Each of four agents deletes the branch in the person's repository.",
    required: "Their work lands. The run says that the branch is gone, and the command that makes it again.",
    session: (marks) => `${ownFile(marks)}; git -C "$HOME" update-ref -d refs/heads/main; true`,
    act: async (play) => {
      const run = await play.play();
      play.git("branch", "main", "refs/ralph/target/main");
      return { said: run.finished?.notFollowing };
    },
    expected: {
      told: [
        containing("The branch main no longer exists"),
        ...Array.from({ length: 4 }, () => containing("The session moved HEAD or a branch in your repository")),
        ...Array.from({ length: 4 }, () => containing("You moved HEAD or a branch in FOLDER, which does not count")),
      ],
      more: { said: "The branch main no longer exists. Make it again: git branch main refs/ralph/target/main" },
    },
  }),
  laneCase({
    name: "gc-beside-four-lanes",
    proves: "L-02 L-20",
    about: "The person's repository collects garbage (`git gc --prune=now`) again and again while four agents work.",
    required: "All work lands, and no object is missing.",
    session: (marks) =>
      `${ownFile(marks)}; git add --all; git commit -qm Own; sleep 0.2; echo more >> $RALPHCTL_TASK.txt`,
    act: async (play) => {
      const run = play.start();
      await allAtWork(play);
      let times = 0;
      const hasEnded = async (): Promise<boolean> => await Promise.race([run.ended.then(() => true), gc(play.folder)]);
      while (!(await hasEnded())) times += 1;
      return { often: times > 0, fsck: play.git("fsck", "--connectivity-only", "--no-dangling") };
    },
    expected: { commits: ["Own", "Own", "Own", "Own"], more: { often: true, fsck: "" } },
  }),
  laneCase({
    name: "push-from-four-lanes",
    proves: "L-02",
    about: "Each of four agents commits, and pushes to `origin` and to the person's repository by its path.",
    required: "Nothing arrives in the person's branch or in the landing but what is proven.",
    session: (marks) =>
      `${ownFile(marks)}; git add --all; git commit -qm Pushed; git push -q origin HEAD:main; git push -q --force "$HOME" HEAD:refs/ralph/target/main; git push -q --force "$HOME" HEAD:main; true`,
    act: async (play) => {
      await play.play();
      return { status: play.git("status", "--porcelain") };
    },
    expected: { commits: ["Pushed", "Pushed", "Pushed", "Pushed"], more: { status: "" } },
  }),
  laneCase({
    name: "port-taken-beside-four-lanes",
    proves: "L-06",
    about: "Other programs listen on the first ports of lanes 2 and 3.",
    required: "Each of four agents has a block of ports of its own, and not one of these.",
    session: (marks) => `echo $RALPHCTL_PORT > ${marks}/port-$RALPHCTL_LANE; ${ownFile(marks)}`,
    act: async (play) => {
      const close = await listenOn(42_200, 42_300);
      await play.play();
      close();
      const ports = [1, 2, 3, 4].map((lane) => Number(readFileSync(join(play.marks, `port-${lane}`), "utf8")));
      return {
        distinct: new Set(ports.map((port) => Math.floor(port / 100))).size,
        taken: ports.filter((port) => port === 42_200 || port === 42_300),
      };
    },
    expected: { more: { distinct: 4, taken: [] } },
  }),
];
