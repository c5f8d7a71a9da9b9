import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TortureCase } from "./case.ts";
import { heldFile, laneCase, type LanePlay, meanwhile } from "./lane-play.ts";

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

/** A person at work beside four agents. */
export const lanePersonCases: readonly TortureCase[] = PERSON.map(personCase);
