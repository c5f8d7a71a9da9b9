import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, placeAt, repositoryAt } from "../../../test/git-place.ts";
import { git as run, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { commitMessage } from "../../domain/commit-message.ts";
import { commitDelta, type DeltaResult } from "../../../test/commit-delta.ts";
import type { Repository } from "./repository.ts";
import { checkRepository } from "./unfinished-operation.ts";
import { snapshot } from "./snapshot.ts";

const rules = { maxFileBytes: 5 * 1024 * 1024, inputs: [] as readonly string[], allow: [] as readonly string[] };
const message = commitMessage({ subject: "Do it", trailers: { "Ralph-Task": "t-1" } });

/** One session: a look, what it does, another look, one commit. */
async function session(repository: Repository, edit: () => void, inputs: readonly string[] = []): Promise<DeltaResult> {
  const base = await snapshot(repository);
  edit();
  const now = await snapshot(repository, base);
  const result = await commitDelta(repository, { base, now }, { rules: { ...rules, inputs }, message });
  return result;
}

const committed = (folder: string): string[] =>
  run(folder, "-c", "core.quotePath=false", "show", "--format=", "--name-status", "--no-renames", "HEAD")
    .split("\n")
    .map((line) => line.replace("\t", " "))
    .sort();
const status = (folder: string): string =>
  run(folder, "-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all");

describe("P-30 a repository", () => {
  test("that is bare or in the middle of a merge or rebase is refused, with the way out", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    write(folder, { ".git/MERGE_HEAD": `${run(folder, "rev-parse", "HEAD")}\n` });
    await expect(repositoryAt(folder)).rejects.toMatchObject({
      kind: "config",
      message: "A merge is in progress",
      hint: "Finish it first: git merge --continue, or git merge --abort",
    });
    rmSync(join(folder, ".git/MERGE_HEAD"));
    mkdirSync(join(folder, ".git/rebase-merge"));
    await expect(repositoryAt(folder)).rejects.toMatchObject({ kind: "config", message: "A rebase is in progress" });
    rmSync(join(folder, ".git/rebase-merge"), { recursive: true });
    write(folder, { ".git/rebase-apply/applying": "" });
    await expect(repositoryAt(folder)).rejects.toMatchObject({
      message: "A patch series is in progress",
      hint: "Finish it first: git am --continue, or git am --abort",
    });
    const bare = temporaryRepository();
    run(bare, "config", "core.bare", "true");
    await expect(repositoryAt(bare)).rejects.toMatchObject({ kind: "config" });
  });

  test("with a detached HEAD is warned about, and worked on", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    run(folder, "checkout", "--quiet", "--detach");
    const repository = await repositoryAt(folder);
    expect(repository.warnings).toEqual([
      `HEAD is detached at ${run(folder, "rev-parse", "HEAD").slice(0, 10)}: commits will belong to no branch`,
    ]);
    expect(await session(repository, () => write(folder, { "a.txt": "2" }))).toMatchObject({ kind: "committed" });
    expect(run(folder, "log", "--format=%s")).toBe("Do it\nBegin");
    expect(run(folder, "log", "--format=%s", "main")).toBe("Begin");
  });

  test("gets commits without hooks, without signing and with a made-up identity", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"]) {
      write(folder, { [`.git/hooks/${hook}`]: "#!/bin/sh\ntouch hooked\nexit 1\n" });
      chmodSync(join(folder, ".git/hooks", hook), 0o755);
    }
    run(folder, "config", "commit.gpgSign", "true");
    run(folder, "config", "gpg.program", "/nowhere");
    run(folder, "config", "--unset", "user.email");
    run(folder, "config", "--unset", "user.name");
    run(folder, "config", "user.useConfigOnly", "true");
    const repository = await repositoryAt(folder);
    expect(await session(repository, () => write(folder, { "a.txt": "2" }))).toMatchObject({ kind: "committed" });
    expect(run(folder, "log", "-1", "--format=%an <%ae> %G?")).toBe("ralphctl <ralphctl@localhost> N");
    expect(status(folder)).toBe("");
    run(folder, "config", "user.name", "Ada");
    await session(repository, () => write(folder, { "a.txt": "3" }));
    expect(run(folder, "log", "-1", "--format=%an <%ae>")).toBe("Ada <ralphctl@localhost>");
  });

  test("is found from a folder inside it, whatever variables a hook left in the environment", async () => {
    const folder = temporaryRepository({ "in/a.txt": "1" });
    const repository = await checkRepository(
      placeAt(join(folder, "in"), { GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/x" }),
    );
    expect(repository).toMatchObject({ folder, gitFolder: join(folder, ".git"), objectFormat: "sha1" });
    expect(await session(repository, () => write(folder, { "b.txt": "1" }))).toMatchObject({ kind: "committed" });
  });
});

describe("P-32 a commit", () => {
  test("has exactly the session's paths, of every kind and with any name", async () => {
    const repository = await newRepository({
      "edit.txt": "1",
      "gone.txt": "1",
      "mode.sh": "1",
      file: "1",
      "folder/inside.txt": "1",
      "*.txt": "star",
    });
    const { folder } = repository;
    const odd = ["with space", "new\nline", 'quo"te', "-dash", ":(top)x", "deep/er/ü"];
    const result = await session(repository, () => {
      write(folder, { "edit.txt": "2", ...Object.fromEntries(odd.map((name) => [name, "1"])) });
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/raw-`), Buffer.from([0xff])]), "bytes");
      rmSync(join(folder, "gone.txt"));
      chmodSync(join(folder, "mode.sh"), 0o755);
      rmSync(join(folder, "file"));
      write(folder, { "file/now.txt": "1" });
      rmSync(join(folder, "folder"), { recursive: true });
      write(folder, { folder: "file" });
      symlinkSync("edit.txt", join(folder, "link"));
      symlinkSync("nowhere-yet", join(folder, "dangling"));
    });
    expect(result).toMatchObject({ kind: "committed", leftOut: [] });
    expect(status(folder)).toBe("");
    expect(run(folder, "diff-files", "--name-only")).toBe("");
    expect(run(folder, "fsck", "--strict")).toBe("");
    expect(result.kind === "committed" && result.tree).toBe((await snapshot(repository)).tree);
    expect(run(folder, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")).toHaveLength(6 + odd.length + 2 + 1);
  });

  test("leaves out what does not belong in one, and names it", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const { folder } = repository;
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    const result = await session(repository, () => {
      write(folder, {
        "a.txt": "2",
        "big.bin": Buffer.alloc(5 * 1024 * 1024 + 1),
        "fits.bin": Buffer.alloc(5 * 1024 * 1024),
        ".env": "SECRET=1",
        "app/.env.local": "SECRET=1",
        deploy: key,
        "keys/id_ed25519": "x",
        "server.key": "x",
        "cert.pem": "-----BEGIN CERTIFICATE-----\n",
        "conflict.txt": "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n",
        "rst.txt": "Title\n=======\n",
        "code.ts": `const begin = "-----BEGIN PRIVATE KEY-----";\n`,
      });
      symlinkSync("/etc/passwd", join(folder, "out"));
      symlinkSync("../../etc", join(folder, "app/out"));
      symlinkSync("../a.txt", join(folder, "app/in"));
      mkdirSync(join(folder, "nested"));
      run(join(folder, "nested"), "init", "--quiet");
    });
    expect(result.leftOut).toEqual([
      { path: ".env", why: "files named .env* may hold secrets" },
      { path: "app/.env.local", why: "files named .env* may hold secrets" },
      { path: "app/out", why: "the link points outside the workspace" },
      { path: "big.bin", why: "it is larger than 5MB" },
      { path: "conflict.txt", why: "it contains conflict markers" },
      { path: "deploy", why: "it contains a private key" },
      { path: "keys/id_ed25519", why: "it looks like a private key" },
      { path: "nested", why: "it is a nested git repository" },
      { path: "out", why: "the link points outside the workspace" },
      { path: "server.key", why: "it looks like a private key" },
    ]);
    expect(committed(folder)).toEqual(["A app/in", "A cert.pem", "A code.ts", "A fits.bin", "A rst.txt", "M a.txt"]);
  });

  test("converts line ends as git add would", async () => {
    const repository = await newRepository({ "old.txt": "a\r\nb\r\n" });
    const { folder } = repository;
    run(folder, "config", "core.autocrlf", "input");
    await session(repository, () => write(folder, { "new.txt": "a\r\nb\r\n", "old.txt": "a\r\nc\r\n" }));
    expect(status(folder)).toBe("");
    expect(run(folder, "cat-file", "blob", "HEAD:new.txt")).toBe("a\nb");
    expect(run(folder, "cat-file", "blob", "HEAD:old.txt")).toBe("a\r\nc");
  });

  test("is the same where git converts files and where it does not", async () => {
    const trees = [];
    for (const attributes of ["", "*.none text\n"]) {
      const repository = await newRepository({ "a.txt": "1", "deep/gone.txt": "1", "deep/stays.txt": "1" });
      const { folder } = repository;
      if (attributes !== "") write(folder, { ".git/info/attributes": attributes });
      const asked = await repositoryAt(folder);
      expect(asked.convertsAll).toBe(attributes !== "");
      const result = await session(asked, () => {
        write(folder, { "a.txt": "2", "deep/new.sh": "1", "more/x": "1" });
        chmodSync(join(folder, "deep/new.sh"), 0o755);
        rmSync(join(folder, "deep/gone.txt"));
      });
      expect([result.kind, status(folder)]).toEqual(["committed", ""]);
      run(folder, "fsck", "--strict");
      trees.push(run(folder, "rev-parse", "HEAD^{tree}"));
    }
    expect(trees[0]).toBe(trees[1]);
  });

  test("may remove the last file", async () => {
    const repository = await newRepository({ "deep/a.txt": "1" });
    await session(repository, () => rmSync(join(repository.folder, "deep"), { recursive: true }));
    expect([run(repository.folder, "ls-tree", "-r", "HEAD"), status(repository.folder)]).toEqual(["", ""]);
  });

  test("in a linked working tree belongs to its branch", async () => {
    const main = await newRepository({ "a.txt": "1" });
    const linked = `${main.folder}-linked`;
    run(main.folder, "worktree", "add", "--quiet", "-b", "side", linked);
    try {
      const repository = await repositoryAt(linked);
      expect(await session(repository, () => write(linked, { "a.txt": "2" }))).toMatchObject({ kind: "committed" });
      expect([status(linked), status(main.folder)]).toEqual(["", ""]);
      expect(run(main.folder, "log", "--format=%s", "side")).toBe("Do it\nBegin");
      expect(run(main.folder, "log", "--format=%s", "main")).toBe("Begin");
    } finally {
      rmSync(linked, { recursive: true });
    }
  });

  test("T-03 has the files on which the gates ran, even if the session committed something else", async () => {
    const repository = await newRepository({ "back.txt": "1", "kept.txt": "1" });
    const { folder } = repository;
    const result = await session(repository, () => {
      write(folder, { "back.txt": "2", "new.txt": "1" });
      run(folder, "rm", "--quiet", "--cached", "kept.txt");
      run(folder, "add", "back.txt", "new.txt");
      run(folder, "commit", "--quiet", "--message", "By the agent");
      write(folder, { "back.txt": "1" });
    });
    expect(result).toMatchObject({ kind: "committed", leftOut: [] });
    expect(committed(folder)).toEqual(["A new.txt"]);
    expect(status(folder)).toBe("");
  });

  test("T-03 takes a registered submodule's new commit that its remote has, and leaves out its loose files", async () => {
    const inner = temporaryRepository({ "i.txt": "1" });
    const repository = await newRepository({ "a.txt": "1" });
    const { folder } = repository;
    run(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
    run(folder, "commit", "--quiet", "--message", "Submodule");
    const who = ["-c", "user.name=T", "-c", "user.email=t@t.invalid"];
    const result = await session(repository, () => {
      write(folder, { "sub/i.txt": "2" });
      run(join(folder, "sub"), ...who, "commit", "--quiet", "--all", "--message", "In");
      run(join(folder, "sub"), "push", "--quiet", "origin", "HEAD:other");
    });
    expect(result).toMatchObject({ kind: "committed", leftOut: [] });
    expect(committed(folder)).toEqual(["M sub"]);
    const loose = await session(repository, () => write(folder, { "sub/i.txt": "3" }));
    expect(loose).toMatchObject({
      kind: "nothing",
      leftOut: [{ path: "sub", why: "files inside this submodule changed" }],
    });
  });
});

test("a commit message has one subject line, and titles cannot forge a trailer", () => {
  const subject = "Fix it\n\nRalph-Task: other\u001b[31m";
  expect(commitMessage({ subject, body: " Why. ", trailers: { "Ralph-Task": "t-1\nX: y", "Ralph-Run": "r1" } })).toBe(
    "Fix it Ralph-Task: other\n\nWhy.\n\nRalph-Task: t-1 X: y\nRalph-Run: r1\n",
  );
  expect(commitMessage({ subject: "x".repeat(500), trailers: {} })).toBe(`${"x".repeat(99)}…\n`);
  expect(commitMessage({ subject: " \n ", trailers: {} })).toBe("Work by ralphctl\n");
});
