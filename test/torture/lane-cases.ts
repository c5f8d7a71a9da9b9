import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, vi } from "vitest";
import { eventsOf } from "../run-seen.ts";
import type { LoopRun } from "../loop-workspace.ts";
import { comes } from "../many-lanes.ts";
import type { TortureCase } from "./case.ts";
import { MOUNTS, onTinyCopy } from "./mounts.ts";
import { heldFile, laneCase, type LanePlay, ownFile } from "./lane-play.ts";

const execute = promisify(execFile);
const SLOW = { timeout: 50_000, interval: 20 };

/** Waits until four agents work, does something, and lets them go on. */
async function meanwhile(play: LanePlay, act: () => void): Promise<LoopRun> {
  const run = play.start();
  await allAtWork(play);
  act();
  writeFileSync(join(play.marks, "go"), "");
  return await run.ended;
}

async function allAtWork({ marks, ids }: LanePlay): Promise<void> {
  await vi.waitUntil(() => ids.every((id) => existsSync(join(marks, `on-${id}`))), SLOW);
}

const MORE = ["Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
const ALL_TASKS = ["One", "Two", "Three", "Four", ...MORE];

const containing = (text: string): string => expect.stringContaining(text) as string;

const gc = async (folder: string): Promise<void> =>
  void (await execute("git", ["gc", "--quiet", "--prune=now"], { cwd: folder }).catch(() => undefined));

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

/** What the person does beside four agents, and what must be there afterwards. */
interface PersonAct {
  readonly name: string;
  readonly about: string;
  readonly does: (play: LanePlay) => void;
  readonly left: (play: LanePlay) => Readonly<Record<string, unknown>>;
  readonly expected: Parameters<typeof laneCase>[0]["expected"];
}

const PERSON: readonly PersonAct[] = [
  {
    name: "commits",
    about: "The person commits while four agents work.",
    does: ({ write, git }) => {
      write({ "mine.txt": "mine\n" });
      git("add", "mine.txt");
      git("commit", "--quiet", "--message", "Mine");
    },
    left: ({ read, git }) => ({ mine: read("mine.txt"), status: git("status", "--porcelain") }),
    expected: {
      commits: ["Four", "Merge branch 'main'", "Mine", "One", "Three", "Two"],
      more: { mine: "mine\n", status: "" },
    },
  },
  {
    name: "saves",
    about: "The person saves, stages and deletes files while four agents work.",
    does: ({ write, git, folder }) => {
      write({ "mine.txt": "mine\n", "staged.txt": "staged\n", "README.md": "changed\n" });
      git("add", "staged.txt");
      rmSync(join(folder, "a.txt"));
    },
    left: ({ git }) => ({ status: git("status", "--porcelain").split("\n") }),
    expected: { more: { status: ["M README.md", " D a.txt", "A  staged.txt", "?? mine.txt"] } },
  },
  {
    name: "stashes",
    about: "The person stashes changes while four agents work.",
    does: ({ write, git }) => {
      write({ "a.txt": "stashed\n" });
      git("stash", "--quiet");
    },
    left: ({ git }) => ({ stash: git("show", "stash@{0}:a.txt"), status: git("status", "--porcelain") }),
    expected: { more: { stash: "stashed", status: "" } },
  },
  {
    name: "switches",
    about: "The person switches to a branch and commits there while four agents work.",
    does: ({ write, git }) => {
      git("switch", "--quiet", "--create", "other");
      write({ "other.txt": "other\n" });
      git("add", "other.txt");
      git("commit", "--quiet", "--message", "Other");
    },
    left: ({ git }) => ({
      branch: git("branch", "--show-current"),
      main: git("log", "--format=%s", "other..main").split("\n").toSorted(),
    }),
    expected: { commits: ["Other"], more: { branch: "other", main: ["Four", "One", "Three", "Two"] } },
  },
  {
    name: "amends",
    about: "The person amends the commit on which four agents work.",
    does: ({ write, git }) => {
      write({ "a.txt": "amended\n" });
      git("commit", "--quiet", "--all", "--amend", "--message", "Amended");
    },
    left: ({ read, git }) => ({ a: read("a.txt"), status: git("status", "--porcelain") }),
    expected: { commits: ["Amended", "Four", "One", "Three", "Two"], more: { a: "amended\n", status: "" } },
  },
  {
    name: "rebases",
    about: "The person rebases the commits on which four agents work.",
    does: ({ git }) => {
      git("rebase", "--quiet", "--force-rebase", "HEAD~1");
    },
    left: ({ git }) => ({ status: git("status", "--porcelain") }),
    expected: { commits: ["Four", "Make a workspace", "One", "Three", "Two"], more: { status: "" } },
  },
];

const personCase = ({ name, about, does, left, expected }: PersonAct): TortureCase =>
  laneCase({
    name: `person-${name}-beside-four-lanes`,
    proves: "L-24 T-41",
    about,
    required: "All work lands, each task once, and everything of the person's is as they left it.",
    session: heldFile,
    workspace: () => ({ files: { "a.txt": "a\n" } }),
    act: async (play) => {
      await meanwhile(play, () => does(play));
      return left(play);
    },
    ...(expected && { expected }),
  });

export const laneCases: readonly TortureCase[] = [
  ...PERSON.map(personCase),
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
      let isOver = false;
      void run.ended.then(() => (isOver = true));
      let times = 0;
      while (!isOver) {
        await gc(play.folder);
        times += 1;
      }
      return { often: times > 1, fsck: play.git("fsck", "--connectivity-only", "--no-dangling") };
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
