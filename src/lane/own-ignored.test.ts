import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { A_STEP_MS, afterKill, type Kept, LENT_TARGET, openLent } from "../../test/lent-tree.ts";
import { git, write } from "../../test/temporary-folder.ts";
import { moveLanding } from "../system/git/landing.ts";

const RULES = ".env*\n*.db\n*.log\n*.big\n";

interface Before {
  /** Tracked files. */
  readonly files?: Readonly<Record<string, string>>;
  /** What else the person did. */
  readonly person?: (folder: string) => void;
}

async function lentWith(own: Readonly<Record<string, string>>, { files, person }: Before = {}) {
  const home = await newRepository({ "a.txt": "1\n", ".gitignore": RULES, ...files });
  const { folder } = home;
  write(folder, own);
  person?.(folder);
  const head = git(folder, "rev-parse", "HEAD");
  await moveLanding(home, LENT_TARGET, { from: undefined, to: head, subject: "begin" });
  const kept: Kept[] = [];
  const lane = await openLent(home, kept);
  const start = { head, tree: git(folder, "rev-parse", "HEAD^{tree}") };
  await lane.begin(start, "t1");
  return {
    home,
    folder,
    lane,
    start,
    kept,
    read: (path: string) => readFileSync(join(folder, path), "utf8"),
    at: (ref: string | undefined, path: string) => git(folder, "show", `${ref}:${path}`),
    refs: () => git(folder, "for-each-ref", "--format=%(refname)", "refs/ralph/run-1"),
  };
}

test("T-40 a .env that a session overwrites or removes is as it was again, and a ref has the session's", async () => {
  const person = (folder: string): void => chmodSync(join(folder, ".env"), 0o600);
  const place = await lentWith({ ".env": "TOKEN=mine\n", ".env.local": "LOCAL=mine\n" }, { person });
  write(place.folder, { ".env": "TOKEN=theirs\n" });
  rmSync(join(place.folder, ".env.local"));
  await place.lane.collect();
  expect([place.read(".env"), place.read(".env.local")]).toEqual(["TOKEN=mine\n", "LOCAL=mine\n"]);
  expect(lstatSync(join(place.folder, ".env")).mode & 0o777).toBe(0o600);
  await place.lane.release();
  expect(place.kept.map(({ why }) => why)).toEqual([
    "the session changed or removed .env, .env.local, now back as before it",
  ]);
  expect(place.at(place.kept[0]?.ref, ".env")).toBe("TOKEN=theirs");
});

test("T-40 untouched ignored files leave no ref and no word behind", async () => {
  const place = await lentWith({ ".env": "TOKEN=mine\n", "dev.db": "rows\n" });
  expect(place.at("refs/ralph/run-1/place-1", ".env")).toBe("TOKEN=mine");
  await place.lane.collect();
  await place.lane.begin(place.start, "t2");
  await place.lane.collect();
  await place.lane.release();
  expect([place.refs(), place.kept, place.read(".env")]).toEqual(["", [], "TOKEN=mine\n"]);
});

test("T-41 a .env that the person saves between two sessions is what the second one begins with", async () => {
  const place = await lentWith({ ".env": "TOKEN=mine\n" });
  await place.lane.collect();
  write(place.folder, { ".env": "TOKEN=later\n", ".env.local": "LOCAL=later\n" });
  await place.lane.begin(place.start, "t2");
  rmSync(join(place.folder, ".env"));
  rmSync(join(place.folder, ".env.local"));
  await place.lane.collect();
  expect([place.read(".env"), place.read(".env.local")]).toEqual(["TOKEN=later\n", "LOCAL=later\n"]);
});

test("T-40 other ignored files stay as a session left them; the ref that has them is told once", async () => {
  const place = await lentWith({ "dev.db": "rows\n", "run.log": "old\n" });
  write(place.folder, { "dev.db": "more rows\n", "run.log": "new\n" });
  await place.lane.collect();
  await place.lane.begin(place.start, "t2");
  write(place.folder, { "dev.db": "even more rows\n" });
  await place.lane.collect();
  await place.lane.release();
  const [{ ref, why } = { ref: "", why: "" }, ...more] = place.kept;
  expect([place.read("dev.db"), why, more]).toEqual(["even more rows\n", "it has dev.db as before the session", []]);
  expect(place.at(ref, "dev.db")).toBe("rows");
});

test("T-40 bytes are kept whatever the filters say, and links as links", async () => {
  const files = { ".gitattributes": "* text=auto eol=crlf\n" };
  const person = (folder: string): void => symlinkSync("../shared/.env", join(folder, ".env.shared"));
  const place = await lentWith({ ".env": "A=1\r\nB=2\n" }, { files, person });
  rmSync(join(place.folder, ".env"));
  rmSync(join(place.folder, ".env.shared"));
  await place.lane.collect();
  expect([place.read(".env"), readlinkSync(join(place.folder, ".env.shared"))]).toEqual([
    "A=1\r\nB=2\n",
    "../shared/.env",
  ]);
});

test("L-04 gates get the included files of the person's, of any size, and none that a session adds", async () => {
  const data = "x".repeat(2 * 1024 * 1024);
  const place = await lentWith({ "data.big": data }, { files: { ".worktreeinclude": "data.big\n" } });
  write(place.folder, { "data.big": "easy", "more.big": "mine", ".worktreeinclude": "*.big\n" });
  await place.lane.collect();
  expect([place.read("data.big") === data, place.lane.included().files]).toEqual([true, ["data.big"]]);
  expect(place.at(place.kept[0]?.ref, "data.big")).toBe("easy");
});

test("T-40 a folder in the place of a .env is an error that names the ref", async () => {
  const place = await lentWith({ ".env": "TOKEN=mine\n" });
  rmSync(join(place.folder, ".env"));
  mkdirSync(join(place.folder, ".env/bin"), { recursive: true });
  await expect(place.lane.collect()).rejects.toThrow(
    "ralphctl could not put .env back; refs/ralph/run-1/place-1 has it as before the session",
  );
});

test("T-41 a session that changes the ignore rules makes no file of the person's its own", async () => {
  const place = await lentWith({ "notes.db": "private\n", "data/x.big": "x".repeat(6 * 1024 * 1024) });
  write(place.folder, { ".gitignore": "", "mine.txt": "work\n" });
  await place.lane.collect();
  expect(["notes.db", "data/x.big", "mine.txt"].map((path) => place.lane.wasIgnored?.(path))).toEqual([
    true,
    true,
    false,
  ]);
  await place.lane.release();
  expect([place.read("notes.db"), place.read(".gitignore")]).toEqual(["private\n", RULES]);
  expect(["data/x.big", "mine.txt"].map((path) => existsSync(join(place.folder, path)))).toEqual([true, false]);
});

test("T-40 after a kill, the next run puts them back; T-41 what changed since the kill stays", async () => {
  const place = await lentWith({ ".env": "TOKEN=mine\n", ".env.local": "LOCAL=mine\n" });
  write(place.folder, { ".env": "TOKEN=theirs\n" });
  await wait(A_STEP_MS);
  const killedAtMs = Date.now();
  await wait(A_STEP_MS);
  write(place.folder, { ".env.local": "LOCAL=later\n" });
  expect(await afterKill(place.home, { killedAtMs })).toEqual([
    "Saved as refs/ralph/run-2/place-1: the session changed or removed .env, now back as before it",
    "Saved as refs/ralph/run-1/place-1: it has .env.local as before the session",
  ]);
  expect([place.read(".env"), place.read(".env.local")]).toEqual(["TOKEN=mine\n", "LOCAL=later\n"]);
});
