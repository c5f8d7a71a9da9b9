import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { landFiles, type Files } from "../../../test/land-files.ts";
import { git, temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { type BranchFollow, followBranch, moveBack, whyNotFollowing } from "./follow-branch.ts";
import { openTarget, type LandingTarget } from "./landing.ts";
import { openRepository, type Repository } from "./repository.ts";

const PLAN = "specs/plan.md";

interface Home {
  readonly home: Repository;
  readonly target: LandingTarget;
  readonly folder: string;
}

async function openHome(files: Readonly<Record<string, string>>): Promise<Home> {
  const home = await newRepository(files);
  return { home, target: await openTarget(home), folder: home.folder };
}

const land = ({ home, target }: Home, files: Files): Promise<string> => landFiles(home, target, files);
const follow = ({ home, target }: Home, planFiles: readonly string[] = [PLAN]): Promise<BranchFollow> =>
  followBranch(home, target, { planFiles });
const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const status = (folder: string): string => git(folder, "status", "--porcelain", "--untracked-files=all");

test.each(["assume-unchanged", "skip-worktree"])(
  "L-24 a file that the person hid from git by %s is kept, and the steps make it follow",
  async (flag) => {
    const place = await openHome({ "a.txt": "1\n2\n3\n", "b.txt": "1\n" });
    const { folder, home, target } = place;
    git(folder, "update-index", `--${flag}`, "a.txt", "b.txt");
    write(folder, { "a.txt": "mine\n2\n3\n" });
    await land(place, { "a.txt": "1\n2\nlanded\n", "b.txt": "landed\n" });
    const refused = await follow(place);
    const [show = "", ...others] = (refused.kind === "refused" ? refused.steps[0]! : "").split(" && ");
    expect(others).toEqual(["git stash", "ralphctl land", "git stash pop"]);
    expect(await whyNotFollowing(home, target, { planFiles: [] })).toEqual(refused);
    expect(refused).toMatchObject({ why: expect.stringContaining("You changed a.txt, which you told git to ignore") });
    git(folder, ...show.split(" ").slice(1));
    git(folder, "stash");
    expect((await follow(place)).kind).toBe("followed");
    git(folder, "stash", "pop");
    expect([read(folder, "a.txt"), read(folder, "b.txt")]).toEqual(["mine\n2\nlanded\n", "landed\n"]);
  },
);

describe("L-03 a plan file that ralphctl wrote into the tree is not in the way", () => {
  const planHome = (): Promise<Home> => openHome({ [PLAN]: "- [ ] one\n- [ ] two\n", "a.txt": "1\n" });
  const DONE = "- [x] one\n- [ ] two\n";

  test("L-03 with the content that landed: nothing writes the file, and the tree is clean", async () => {
    const place = await planHome();
    const { folder } = place;
    write(folder, { [PLAN]: DONE });
    const file = statSync(join(folder, PLAN), { bigint: true });
    const landed = await land(place, { [PLAN]: DONE, "a.txt": "landed\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    const { ino, mtimeNs, ctimeNs } = statSync(join(folder, PLAN), { bigint: true });
    expect({ ino, mtimeNs, ctimeNs }).toEqual({ ino: file.ino, mtimeNs: file.mtimeNs, ctimeNs: file.ctimeNs });
    expect([status(folder), read(folder, PLAN), read(folder, "a.txt")]).toEqual(["", DONE, "landed\n"]);
  });

  test("L-03 with more than what landed: the file stays byte for byte, and shows as changed", async () => {
    const place = await planHome();
    const { folder } = place;
    const mine = "- [x] one\r\n- [ ] two\n- [ ] of the person\n\n";
    write(folder, { [PLAN]: mine });
    await land(place, { [PLAN]: DONE, "a.txt": "landed\n" });
    expect((await follow(place)).kind).toBe("followed");
    expect([status(folder), read(folder, PLAN)]).toEqual([`M ${PLAN}`, mine]);
    expect(git(folder, "diff", "--cached", "--name-only")).toBe("");
    expect(git(folder, "show", `:${PLAN}`)).toBe(DONE.trim());
  });

  test.each([
    ["the content that landed", "- [x] one\n", ""],
    ["other content", "- [x] one\n- [ ] mine\n", `M ${PLAN}`],
  ])("L-03 untracked, with %s", async (_, content, shown) => {
    const place = await openHome({ "a.txt": "1\n" });
    write(place.folder, { [PLAN]: content });
    await land(place, { [PLAN]: "- [x] one\n" });
    expect((await follow(place)).kind).toBe("followed");
    expect([read(place.folder, PLAN), status(place.folder)]).toEqual([content, shown]);
  });

  test("L-03 staged with a mark that landed on the way it is not in the way; with a line of the person's it is", async () => {
    const place = await planHome();
    write(place.folder, { [PLAN]: DONE });
    git(place.folder, "add", PLAN);
    await land(place, { [PLAN]: DONE });
    const landed = await land(place, { [PLAN]: "- [x] one\n- [x] two\n" });
    write(place.folder, { [PLAN]: "- [x] one\n- [x] two\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([status(place.folder), git(place.folder, "diff", "--cached", "--name-only")]).toEqual(["", ""]);
    const mine = "- [x] one\n- [x] two\n- [ ] mine\n";
    write(place.folder, { [PLAN]: mine });
    git(place.folder, "add", PLAN);
    await land(place, { [PLAN]: "- [x] one\n" });
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("You staged other") });
    expect([git(place.folder, "show", `:${PLAN}`), read(place.folder, PLAN)]).toEqual([mine.trim(), mine]);
  });

  test("L-03 removed in the tree it stays so; changed there and removed by what landed it is in the way", async () => {
    const place = await planHome();
    rmSync(join(place.folder, PLAN));
    await land(place, { [PLAN]: DONE });
    expect((await follow(place)).kind).toBe("followed");
    expect([existsSync(join(place.folder, PLAN)), status(place.folder)]).toEqual([false, `D ${PLAN}`]);
    write(place.folder, { [PLAN]: "mine\n" });
    await land(place, { [PLAN]: undefined });
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining(PLAN) });
    expect([read(place.folder, PLAN), status(place.folder)]).toEqual(["mine\n", `M ${PLAN}`]);
  });

  test("L-03 unchanged in the tree: it follows like every file", async () => {
    const place = await planHome();
    await land(place, { [PLAN]: DONE });
    expect((await follow(place)).kind).toBe("followed");
    expect([read(place.folder, PLAN), status(place.folder)]).toEqual([DONE, ""]);
  });

  test("T-41 staged by the person: refused, and staged it stays", async () => {
    const place = await planHome();
    const { folder } = place;
    write(folder, { [PLAN]: "staged\n" });
    git(folder, "add", PLAN);
    write(folder, { [PLAN]: "edited\n" });
    await land(place, { [PLAN]: DONE });
    const before = [git(folder, "ls-files", "--stage"), status(folder)];
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("You staged") });
    expect([git(folder, "ls-files", "--stage"), status(folder)]).toEqual(before);
    git(folder, "restore", "--staged", PLAN);
    expect((await follow(place)).kind).toBe("followed");
    expect(read(folder, PLAN)).toBe("edited\n");
  });

  test("T-41 beside a change that is in the way: the index is as it was", async () => {
    const place = await planHome();
    const { folder } = place;
    write(folder, { [PLAN]: "mine\n", "new.txt/mine.txt": "mine\n" });
    await land(place, { [PLAN]: DONE, "new.txt": "landed\n" });
    const before = [git(folder, "ls-files", "--stage"), status(folder)];
    // Only git itself finds a folder in the way, when the index entry of the plan file is already set.
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("new.txt") });
    expect([git(folder, "ls-files", "--stage"), status(folder)]).toEqual(before);
  });
});

/** The files a, b and c are checked out in this order. While b is, its filter kills git. */
async function homeWhereGitDies(): Promise<Home & { readonly dead: () => Promise<void> }> {
  const place = await openHome({
    "a.txt": "1\n",
    "b.txt": "1\n",
    "c.txt": "1\n",
    ".gitattributes": "b.txt filter=deadly\n",
  });
  const script = join(temporaryFolder({ kill: "" }), "smudge");
  writeFileSync(script, `#!/bin/sh\nif [ -e "$0.once" ]; then rm "$0.once"; kill -9 $PPID; exit 1; fi\ncat\n`);
  chmodSync(script, 0o755);
  git(place.folder, "config", "filter.deadly.smudge", script);
  git(place.folder, "config", "filter.deadly.clean", "cat");
  const dead = async (): Promise<void> => {
    writeFileSync(`${script}.once`, "");
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("signal 9") });
    expect(existsSync(join(place.folder, ".git/index.lock"))).toBe(true);
    expect([read(place.folder, "a.txt"), read(place.folder, "c.txt")]).toEqual(["landed\n", "1\n"]);
  };
  return { ...place, dead };
}

describe("L-24 a git that is killed while the branch follows", () => {
  const LANDED = { "a.txt": "landed\n", "b.txt": "landed in full\n", "c.txt": "landed\n", [PLAN]: "landed\n" };

  test("L-24 is repeated: everything is as it landed, the plan file as the tree has it", async () => {
    const place = await homeWhereGitDies();
    write(place.folder, { "mine.txt": "mine\n", [PLAN]: "mine\n" });
    const landed = await land(place, LANDED);
    await place.dead();
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect(status(place.folder)).toBe(`M ${PLAN}\n?? mine.txt`);
    expect(read(place.folder, PLAN)).toBe("mine\n");
    expect(existsSync(join(place.folder, ".git/ralphctl-following"))).toBe(false);
  });

  test("L-24 is repeated after more has landed, and from a file of which only the beginning was written", async () => {
    const place = await homeWhereGitDies();
    write(place.folder, { [PLAN]: "mine\n" });
    await land(place, LANDED);
    await place.dead();
    write(place.folder, { "b.txt": "landed i" });
    const landed = await land(place, { "a.txt": "more\n", "b.txt": "more\n", [PLAN]: "more\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([status(place.folder), read(place.folder, "a.txt"), read(place.folder, PLAN)]).toEqual([
      `M ${PLAN}`,
      "more\n",
      "mine\n",
    ]);
  });

  test("T-41 what the person wrote since then is theirs", async () => {
    const place = await homeWhereGitDies();
    const landed = await land(place, LANDED);
    await place.dead();
    write(place.folder, { "a.txt": "mine\n" });
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("a.txt") });
    expect(read(place.folder, "a.txt")).toBe("mine\n");
    expect(status(place.folder)).toBe("M a.txt");
    git(place.folder, "checkout", "--quiet", "--", "a.txt");
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect(status(place.folder)).toBe("");
  });

  test("L-24 after it wrote the index and before it moved the branch", async () => {
    const place = await openHome({ "a.txt": "1\n", "b.txt": "1\n" });
    const { folder } = place;
    const first = await land(place, { "a.txt": "landed\n", "b.txt": "landed\n", "e.txt": "landed\n" });
    const killed = (): void => {
      git(folder, "read-tree", "-m", "-u", "HEAD", first);
      writeFileSync(join(folder, ".git/ralphctl-following"), `${first}\n`);
    };
    killed();
    expect(await follow(place)).toEqual({ kind: "followed", commit: first });
    git(folder, "reset", "--quiet", "--hard", "HEAD~1");
    git(folder, "update-ref", "refs/ralph/followed/main", "HEAD");
    killed();
    const second = await land(place, { "a.txt": "more\n", "b.txt": "1\n", "e.txt": undefined });
    expect(await follow(place)).toEqual({ kind: "followed", commit: second });
    expect([status(folder), existsSync(join(folder, "e.txt"))]).toEqual(["", false]);
    expect([read(folder, "a.txt"), read(folder, "b.txt")]).toEqual(["more\n", "1\n"]);
  });

  test("L-24 that ended without a kill in the middle of its files is repeated, too", async () => {
    const place = await openHome({ "a.txt": "1\n", "b.txt": "1\n", ".gitattributes": "b.txt filter=broken\n" });
    const { folder } = place;
    git(folder, "config", "filter.broken.smudge", "false");
    git(folder, "config", "filter.broken.required", "true");
    git(folder, "config", "filter.broken.clean", "cat");
    const landed = await land(place, { "a.txt": "landed\n", "b.txt": "landed\n" });
    expect((await follow(place)).kind).toBe("refused");
    git(folder, "config", "filter.broken.smudge", "cat");
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([status(folder), read(folder, "b.txt")]).toEqual(["", "landed\n"]);
  });
});

test("T-41 L-24 a follow keeps the person's ORIG_HEAD, and makes none", async () => {
  const place = await openHome({ "a.txt": "1\n" });
  const file = join(place.folder, ".git/ORIG_HEAD");
  await land(place, { "a.txt": "2\n" });
  expect([(await follow(place)).kind, existsSync(file)]).toEqual(["followed", false]);
  const theirs = `${git(place.folder, "rev-parse", "HEAD~1")}\n`;
  writeFileSync(file, theirs);
  await land(place, { "a.txt": "3\n" });
  expect([(await follow(place)).kind, readFileSync(file, "utf8")]).toEqual(["followed", theirs]);
});

describe("T-41 L-24 the person switches to another branch while git follows", () => {
  /** A git that switches first, when it is asked for a command. */
  async function switching(command: string, from: Home): Promise<Repository> {
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const text = `#!/bin/sh
case " $* " in *" ${command} "*) "${real}" switch --quiet --create side 2>/dev/null ;; esac
exec "${real}" "$@"
`;
    const bin = temporaryFolder({ git: text });
    chmodSync(join(bin, "git"), 0o755);
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
    return await openRepository({ folder: from.folder, env });
  }

  test("their new branch and their files stay, and the branch follows without them", async () => {
    const place = await openHome({ "a.txt": "1\n", "b.txt": "1\n" });
    const { folder, target } = place;
    const before = git(folder, "rev-parse", "HEAD");
    write(folder, { "b.txt": "mine\n" });
    const landed = await land(place, { "a.txt": "landed\n", "new.txt": "landed\n" });
    const home = await switching("merge", place);
    expect(await followBranch(home, target, { planFiles: [] })).toEqual({ kind: "followed", commit: landed });
    expect(git(folder, "rev-parse", "--symbolic-full-name", "HEAD", "side", "main")).toBe(
      ["refs/heads/side", "refs/heads/side", "refs/heads/main"].join("\n"),
    );
    expect([git(folder, "rev-parse", "side"), git(folder, "rev-parse", "main")]).toEqual([before, landed]);
    expect([status(folder), read(folder, "a.txt"), read(folder, "b.txt")]).toEqual(["M b.txt", "1\n", "mine\n"]);
    expect(git(folder, "reflog", "show", "side")).not.toContain("ralphctl");
  });

  test("their new branch stays where it is when work is taken back, too", async () => {
    const place = await openHome({ "a.txt": "1\n" });
    const { folder, target } = place;
    const before = git(folder, "rev-parse", "HEAD");
    const landed = await land(place, { "a.txt": "landed\n" });
    await follow(place);
    const home = await switching("update-ref", place);
    const refusal = await moveBack(home, target, { to: before, planFiles: [], again: "ralphctl undo" });
    expect(refusal).toMatchObject({ kind: "refused" });
    expect([git(folder, "rev-parse", "side"), git(folder, "rev-parse", "main")]).toEqual([landed, landed]);
    expect([status(folder), read(folder, "a.txt")]).toEqual(["", "landed\n"]);
  });
});

test("L-24 a lock that a git left is named, with the way out", async () => {
  const place = await openHome({ "a.txt": "1\n" });
  await land(place, { "a.txt": "2\n" });
  const lock = join(place.home.gitFolder, "index.lock");
  writeFileSync(lock, "");
  expect(await follow(place)).toMatchObject({
    kind: "refused",
    remedy: expect.stringContaining(`remove ${lock} first`),
  });
  rmSync(lock);
  expect((await follow(place)).kind).toBe("followed");
});
