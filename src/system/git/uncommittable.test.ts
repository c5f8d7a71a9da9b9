import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { newRepository, placeAt } from "../../../test/git-place.ts";
import { commitAll, git as run, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { ownIgnored } from "./hidden-files.ts";
import type { Repository } from "./repository.ts";
import { checkRepository } from "./unfinished-operation.ts";
import { buildTree } from "./commit.ts";
import { changesBetween, snapshot } from "./snapshot.ts";
import { findUncommittable } from "./uncommittable.ts";

const rules = { maxFileBytes: 1024, inputs: [] as readonly string[], allow: [] as readonly string[] };

/** What a session's changes come to: `!path` rejects, `path` is only named. */
async function found(
  repository: Repository,
  edit: (folder: string) => void,
  more: Partial<typeof rules> = {},
): Promise<string[]> {
  const base = await snapshot(repository);
  edit(repository.folder);
  const now = await snapshot(repository, base);
  const all = await findUncommittable(repository, { base, now }, { ...rules, ...more });
  return all.map(({ path, rejects }) => `${rejects ? "!" : ""}${path}`).sort();
}

const CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
const KEY = "-----BEGIN PRIVATE KEY-----\nAAAA\n";
const BIG = "x".repeat(2000);

describe("T-03 a change that a commit should not take", () => {
  test("T-03 L-26 rejects: secrets, large files, links out, conflicts, nested repositories", async () => {
    const edit = (folder: string): void => {
      write(folder, { ".env": "A=1", big: BIG, "deploy.txt": KEY, "c.ts": CONFLICT, "fine.ts": "1" });
      symlinkSync("/etc/hostname", join(folder, "out"));
      run(folder, "init", "--quiet", "nested");
    };
    const all = [".env", "big", "c.ts", "deploy.txt", "nested", "out"];
    expect(await found(await newRepository({ a: "1" }), edit)).toEqual(all.map((path) => `!${path}`).sort());
    // A person can allow everything but a conflict.
    const allow = ["**"];
    expect(await found(await newRepository({ a: "1" }), edit, { allow })).toEqual(
      all.map((path) => (path === "c.ts" ? `!${path}` : path)).sort(),
    );
  });

  test("T-03 names a repository that is made around tracked files", async () => {
    const edit = (folder: string): void => {
      run(folder, "init", "--quiet", "test");
      write(folder, { "test/deep/b": "2", c: "3" });
    };
    const repository = await newRepository({ "test/a": "1" });
    expect(await found(repository, edit)).toEqual(["test"]);
    commitAll(repository.folder, "with it");
    // What is a few milliseconds old may be of the session, because times of files lag behind the clock.
    const { birthtimeMs } = lstatSync(join(repository.folder, "test/.git"));
    await vi.waitUntil(() => Date.now() > birthtimeMs + 50, { timeout: 50_000 });
    expect(await found(repository, (folder) => write(folder, { "test/a": "2" }))).toEqual([]);
  });

  test("T-03 a program that a compiler made may be ignored by a new rule; a text may not", async () => {
    const edit = (folder: string): void => {
      write(folder, { ".gitignore": "/tool\n/other\n/empty\n", other: "#!/bin/sh\n", empty: "" });
      writeFileSync(join(folder, "tool"), Buffer.from("7f454c46020101", "hex"));
    };
    expect(await found(await newRepository({ a: "1" }), edit)).toEqual(["!empty", "!other", "tool"]);
  });

  test("T-02 T-03 finds ignored files that changed and are no build output", async () => {
    const repository = await newRepository({ ".gitignore": "*.sign\ndist/\nprivate/\n*.log\n" });
    write(repository.folder, { "old.sign": "1" });
    await vi.waitUntil(() => Date.now() > lstatSync(join(repository.folder, "old.sign")).ctimeMs + 50, {
      timeout: 50_000,
    });
    const base = await snapshot(repository);
    write(repository.folder, { "new.sign": "1", "dist/a": "1", "private/key": "1", "a.log": "1" });
    const now = await snapshot(repository, base);
    expect(await ownIgnored(repository, { base, now })).toEqual(["new.sign", "private/key"]);
  });

  test("T-01 L-21 rejects an absolute link, even to a file beside it: in the room it leads to the lane", async () => {
    const edit = (folder: string): void => {
      symlinkSync(join(folder, "a"), join(folder, "absolute"));
      symlinkSync("a", join(folder, "relative"));
    };
    expect(await found(await newRepository({ a: "1" }), edit)).toEqual(["!absolute"]);
  });

  test("T-41 T-03 says nothing about files and links that a person removed since, and the tree lacks them", async () => {
    const repository = await newRepository({ a: "1" });
    const { folder } = repository;
    const base = await snapshot(repository);
    write(folder, { "c.ts": CONFLICT, "fine.ts": "1", "d/deep.ts": KEY });
    symlinkSync("/etc/hostname", join(folder, "out"));
    const now = await snapshot(repository, base);
    for (const path of ["c.ts", "out", "d"]) rmSync(join(folder, path), { recursive: true });
    write(folder, { d: "a file now" });
    expect(await findUncommittable(repository, { base, now }, rules)).toEqual([]);
    const { tree } = await buildTree(repository, { base, changes: await changesBetween(repository, base, now) }, rules);
    expect(run(folder, "ls-tree", "-r", "--name-only", tree)).toBe("a\nfine.ts");
  });

  test("T-03 L-26 rejects in commits of the session, too", async () => {
    const repository = await newRepository({ a: "1" });
    const all = await found(repository, (folder) => {
      write(folder, { ".env": "A=1", "c.ts": CONFLICT, "fine.ts": "1" });
      commitAll(folder, "By the agent");
    });
    expect(all).toEqual(["!.env", "!c.ts"]);
  });

  test("T-03 L-26 names files that the base has so, and rejects what is new in them", async () => {
    const repository = await newRepository({
      ".env": "A=1",
      lock: BIG,
      "k.txt": KEY,
      "doc.txt": CONFLICT,
      "b.ts": BIG,
    });
    const all = await found(repository, (folder) => {
      write(folder, {
        ".env": "A=2",
        lock: `${BIG}y`,
        "k.txt": `${KEY}B`,
        "doc.txt": `${CONFLICT}more`,
        "b.ts": `${BIG}\n${CONFLICT}`,
      });
    });
    expect(all).toEqual(["!b.ts", ".env", "k.txt", "lock"]);
  });

  test("T-03 L-26 says nothing about examples, keys of tests, headings and code fences", async () => {
    const repository = await newRepository({ a: "1" });
    const all = await found(repository, (folder) =>
      write(folder, {
        ".env.example": "A=",
        "test/fixtures/server.key": KEY,
        "tests/tls.txt": KEY,
        "title.rst": "Title\n=======\n",
        "docs/merging.md": `\`\`\`\n${CONFLICT}\`\`\`\n`,
      }),
    );
    expect(all).toEqual([]);
  });

  test("T-03 leaves the user's own changes to the user", async () => {
    const edit = (folder: string): void => write(folder, { ".env": "A=1" });
    expect(await found(await newRepository({ a: "1" }), edit, { inputs: [".env"] })).toEqual([]);
  });
});

describe("T-03 ignored files", () => {
  const IGNORES = { ".gitignore": "dist/\n*.log\n/.env\nnode_modules/\n", "src/a.ts": "1", "docs/a.md": "1" };

  test("T-03 are build output if the base's rules cover them: nothing to say", async () => {
    const repository = await newRepository(IGNORES);
    const all = await found(repository, (folder) =>
      write(folder, { "dist/a.js": "1", "src/x.log": "1", ".env": "A=1", "node_modules/x/index.js": "1", "b.ts": "1" }),
    );
    expect(all).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["the ignore file at the top", { ".gitignore": `${IGNORES[".gitignore"]}/src/b.ts\n` }],
    ["an ignore file that ignores itself", { "src/.gitignore": ".gitignore\nb.ts\n" }],
    ["the repository's own exclude file", { ".git/info/exclude": "/src/b.ts\n" }],
  ])("T-03 reject if a rule of the session hides them: %s", async (_where, files) => {
    const all = await found(await newRepository(IGNORES), (folder) =>
      write(folder, { ...files, "src/b.ts": "1", "src/x.log": "1" }),
    );
    expect(all).toContain("!src/b.ts");
    expect(all.filter((path) => path.startsWith("!") && !/b\.ts|\.gitignore/.test(path))).toEqual([]);
  });

  test("T-03 reject if a setting of the session hides them", async () => {
    const elsewhere = temporaryFolder({ rules: "/src/b.ts\n" });
    const all = await found(await newRepository(IGNORES), (folder) => {
      run(folder, "config", "core.excludesFile", join(elsewhere, "rules"));
      write(folder, { "src/b.ts": "1" });
    });
    expect(all).toEqual(["!src/b.ts"]);
  });

  test("T-03 are covered by the rules of the user's home and the repository, as they were before", async () => {
    const home = temporaryFolder({ ".gitconfig": "[core]\n\texcludesFile = ~/mine\n", mine: "*.local\n" });
    const folder = temporaryRepository(IGNORES);
    write(folder, { ".git/info/exclude": "/scratch/\n" });
    const repository = await checkRepository(placeAt(folder, { HOME: home }));
    const all = await found(repository, () =>
      write(folder, { ".gitignore": "# fewer\n/hidden.ts\n", "a.local": "1", "scratch/a.ts": "1", "hidden.ts": "1" }),
    );
    expect(all).toEqual(["!hidden.ts"]);
  });

  test("T-03 reject in a folder that a new rule hides, but for those that the base's rules cover", async () => {
    const all = await found(await newRepository(IGNORES), (folder) =>
      write(folder, { ".gitignore": `${IGNORES[".gitignore"]}impl/\n`, "impl/a.ts": "1", "impl/deep/b.log": "1" }),
    );
    expect(all).toEqual(["!impl/a.ts"]);
  });

  test("T-03 are only named if they look like build output in a folder of its own, or like a secret", async () => {
    const fresh = { ".gitignore": "node_modules/\ndist/\ncoverage/\n*.log\n.env\n" };
    const made = {
      ".env": "A=1",
      "node_modules/x/i.js": "1",
      "dist/a.js": "1",
      "web/dist/b.js": "1",
      "d.log": "1",
      "a.ts": "1",
    };
    expect(await found(await newRepository({ a: "1" }), (folder) => write(folder, { ...fresh, ...made }))).toEqual([
      ".env",
      "d.log",
      "dist/",
      "node_modules/",
      "web/dist/",
    ]);
    const tracked = await newRepository({ "dist/old.js": "1" });
    expect(await found(tracked, (folder) => write(folder, { ...fresh, "dist/a.js": "1" }))).toEqual(["!dist/a.js"]);
  });

  test("T-03 are nothing to say if a cache or an environment brings its own rule", async () => {
    const all = await found(await newRepository({ a: "1" }), (folder) =>
      write(folder, {
        ".venv/.gitignore": "*\n",
        ".venv/bin/python": "1",
        ".ruff_cache/.gitignore": "*",
        ".ruff_cache/x": "1",
      }),
    );
    expect(all).toEqual([]);
  });

  test("T-03 of others, there before the session, are not the session's, unless it changes them", async () => {
    const hide = { ".gitignore": "notes.txt\n" };
    const before = async (): Promise<Repository> => {
      const repository = await newRepository({ a: "1" });
      write(repository.folder, { "notes.txt": "mine", "own/a.txt": "1", "own/.gitignore": "*\n" });
      const { ctimeMs } = lstatSync(join(repository.folder, "own/.gitignore"));
      await vi.waitUntil(() => Date.now() > ctimeMs, { timeout: 50_000 });
      return repository;
    };
    expect(await found(await before(), (folder) => write(folder, hide))).toEqual([]);
    expect(await found(await before(), (folder) => write(folder, { ...hide, "notes.txt": "changed" }))).toEqual([
      "!notes.txt",
    ]);
  });

  test("T-03 reject if git tracked them, whichever rule hides them now; if they are gone, they do not", async () => {
    const forced = async (): Promise<Repository> => {
      const folder = temporaryRepository({ ".gitignore": "dist/\n", "src/a.ts": "1" });
      write(folder, { "dist/kept.js": "1" });
      run(folder, "add", "--force", "dist/kept.js");
      run(folder, "commit", "--quiet", "--message", "Keep one");
      return await checkRepository(placeAt(folder));
    };
    const remove = (folder: string, ...flags: string[]): void => {
      run(folder, "rm", "--quiet", ...flags, "dist/kept.js");
      run(folder, "commit", "--quiet", "--message", "Remove it");
    };
    expect(await found(await forced(), (folder) => remove(folder, "--cached"))).toEqual(["!dist/kept.js"]);
    expect(await found(await forced(), (folder) => remove(folder))).toEqual([]);
    expect(await found(await forced(), (folder) => write(folder, { "dist/kept.js": "2" }))).toEqual([]);
    const untrack = (folder: string): void => {
      write(folder, { ".gitignore": "dist/\nsrc/\n" });
      run(folder, "rm", "--quiet", "--cached", "src/a.ts");
      run(folder, "commit", "--quiet", "--all", "--message", "Hide it");
    };
    expect(await found(await forced(), untrack)).toEqual(["!src/a.ts"]);
    expect(await found(await forced(), untrack, { allow: ["src/**"] })).toEqual(["src/a.ts"]);
  });

  test("T-03 never are files that git tracks: a forced one is committed", async () => {
    const all = await found(await newRepository({ a: "1" }), (folder) => {
      write(folder, { ".gitignore": "gen/\n", "gen/a.ts": "1" });
      run(folder, "add", "--force", "gen/a.ts", ".gitignore");
      run(folder, "commit", "--quiet", "--message", "Force it");
    });
    expect(all).toEqual([]);
  });

  test("T-03 have names of any bytes", async () => {
    const repository = await newRepository({ a: "1" });
    const all = await found(repository, (folder) => {
      mkdirSync(join(folder, "new\nline"));
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/new\nline/raw-`), Buffer.from([0xff])]), "1");
      write(folder, { ".gitignore": "raw-*\n", "new\nline/.gitignore": "# none\n" });
    });
    expect(all).toEqual([`!new\nline/raw-\udcff`]);
  });
});

describe("T-03 a submodule", () => {
  const who = ["-c", "user.name=T", "-c", "user.email=t@t.invalid", "-c", "protocol.file.allow=always"];
  const withSubmodule = async (): Promise<Repository> => {
    const remote = temporaryFolder();
    run(remote, "clone", "--quiet", "--bare", temporaryRepository({ "i.txt": "1" }), "lib.git");
    const folder = temporaryRepository({ a: "1" });
    run(folder, ...who, "submodule", "--quiet", "add", join(remote, "lib.git"), "sub");
    run(folder, "commit", "--quiet", "--message", "Submodule");
    return await checkRepository(placeAt(folder));
  };
  const commitInside = (folder: string): void => {
    write(folder, { "sub/i.txt": "2" });
    run(join(folder, "sub"), ...who, "commit", "--quiet", "--all", "--message", "Inside");
  };

  test("T-03 rejects if its remote does not have the commit, and if its files changed", async () => {
    expect(await found(await withSubmodule(), commitInside)).toEqual(["!sub"]);
    expect(await found(await withSubmodule(), commitInside, { allow: ["sub"] })).toEqual(["sub"]);
    expect(await found(await withSubmodule(), (folder) => write(folder, { "sub/i.txt": "2" }))).toEqual(["!sub"]);
  });

  test("T-03 may point to a commit that was pushed; one that only a tag has is named", async () => {
    const pushed = (folder: string): void => {
      commitInside(folder);
      run(join(folder, "sub"), ...who, "push", "--quiet", "origin", "HEAD:main");
    };
    expect(await found(await withSubmodule(), pushed)).toEqual([]);
    const tagged = (folder: string): void => {
      commitInside(folder);
      run(join(folder, "sub"), "tag", "v2");
    };
    expect(await found(await withSubmodule(), tagged)).toEqual(["sub"]);
  });

  test("T-03 is a nested repository if .gitmodules does not name it; one that is not checked out is named", async () => {
    const remote = temporaryRepository({ "i.txt": "1" });
    const embed = (folder: string): void => {
      run(folder, ...who, "clone", "--quiet", remote, "inner");
      run(folder, "-c", "advice.addEmbeddedRepo=false", "add", "inner");
      run(folder, "commit", "--quiet", "--message", "Embed it");
    };
    expect(await found(await newRepository({ a: "1" }), embed)).toEqual(["!inner"]);
    const elsewhere = (folder: string): void => {
      const other = run(join(folder, "sub"), ...who, "commit-tree", "HEAD^{tree}", "-m", "Other");
      rmSync(join(folder, "sub"), { recursive: true });
      mkdirSync(join(folder, "sub"));
      run(folder, "update-index", "--cacheinfo", `160000,${other},sub`);
      run(folder, "commit", "--quiet", "--message", "Point elsewhere");
    };
    expect(await found(await withSubmodule(), elsewhere)).toEqual(["sub"]);
  });
});
