import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { shellWord } from "../../src/domain/shell-word.ts";
import { PROGRAM } from "../built-program.ts";
import { DONE, notices, script, sh, type Step } from "../hostile-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The session plays the person, too, so that each does their part at a known moment. */
const person = (command: string): Step => sh(`unset GIT_REFLOG_ACTION; cd "{home}" && { ${command}; } || true`);

const after = async (command: string): Promise<LoopWorkspace> =>
  await loopWorkspace({
    files: { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" },
    script: script([person(command), sh("echo 0 > new.txt; sed -i s/1/one/ a.txt; echo yes > done.txt"), DONE]),
    env: { HOME: temporaryFolder() },
  });

/** Types the lines as a person would, who resolves conflicts in between. */
function typeAll(place: LoopWorkspace, lines: readonly string[]): void {
  const words = `ralphctl() { ${shellWord(process.execPath)} ${shellWord(PROGRAM)} "$@"; }`;
  const resolve =
    'if test -n "$(git ls-files -u)"; then echo both >$(git diff --name-only --diff-filter=U | head -1); fi';
  for (const line of lines) {
    const before = /--continue/.test(line) ? `${resolve}; git add --update` : resolve;
    const typed = /--autostash/.test(line) ? `${line} || true` : line;
    const env = { ...process.env, HOME: temporaryFolder(), GIT_EDITOR: "true" };
    execFileSync("/bin/sh", ["-ec", `${words}\n${before}\n${typed}`], { cwd: place.folder, env, stdio: "pipe" });
  }
}

const MINE = "git commit --quiet --all --message Mine";
const OTHER = `git switch -qc other; echo other > b.txt; ${MINE}; git switch -q main; echo mine > b.txt; ${MINE}`;

describe.concurrent("L-24 T-41 something of the person's is in the way of the branch: one story, and its lines work", () => {
  test.each<[string, string, RegExp]>([
    ["an edit", "sed -i s/5/five/ a.txt", /^You changed a\.txt without a commit/],
    ["a staged edit", "sed -i s/5/five/ a.txt; git add a.txt", /^You staged other changes of a\.txt/],
    ["a file that git does not track", "echo mine > new.txt", /overwrite new\.txt, which git does not track/],
    ["both", "sed -i s/5/five/ a.txt; echo mine > new.txt", /a\.txt.*new\.txt/],
    ["a commit in conflict", `sed -i s/1/eins/ a.txt; ${MINE}`, /^Your commits on main conflict with work .* a\.txt/],
    ["a merge under way", `${OTHER}; git merge other`, /^A merge is in progress/],
    ["a rebase under way", `${OTHER}; git rebase other`, /^A rebase of main is in progress/],
    ["a branch deleted", "git switch -qc other; git branch -qD main", /^The branch main no longer exists/],
    ["a branch renamed", "git branch -m trunk", /^You renamed main to trunk/],
  ])("%s", async (_, command, why) => {
    const place = await after(command);
    const run = await place.run();
    const { notFollowing, followBy = [] } = run.finished!;
    const status = JSON.parse((await place.ralphctl("status", "--json")).stdout) as { notFollowing: unknown[] };
    const land = await place.ralphctl("land", "--json");
    const story = { why: expect.stringMatching(why), remedy: expect.any(String), steps: followBy };
    expect([notFollowing, status.notFollowing, land.code]).toEqual([
      expect.stringMatching(why),
      [expect.objectContaining(story)],
      2,
    ]);
    expect(JSON.parse(land.stdout)).toMatchObject(story);
    typeAll(place, followBy);
    expect((await place.ralphctl("land")).stdout).toMatch(/has everything that landed|Nothing has landed for/);
    const settled = JSON.parse((await place.ralphctl("status", "--json")).stdout) as { notFollowing: unknown[] };
    const branches = place.git("branch", "--contains", "refs/ralph/target/main");
    expect([settled.notFollowing, branches]).toEqual([[], expect.stringMatching(/main|trunk/)]);
  });

  test.each([
    ["committed", `echo mine > b.txt; ${MINE}`],
    ["amended", "git commit --quiet --amend --message Amended"],
  ])("what they %s is taken in by the same run, which does not warn of it", async (_, command) => {
    const place = await after(command);
    const run = await place.run();
    expect([run.code, run.finished?.notFollowing, notices(run).join("\n")]).toEqual([
      0,
      undefined,
      expect.not.stringMatching(/ralphctl land|git merge/),
    ]);
    expect((await place.ralphctl("land")).stdout).toBe("main has everything that landed\n");
  });

  test("a branch that they deleted with all its work in it is not asked about", async () => {
    const place = await after("true");
    expect((await place.run()).code).toBe(0);
    place.git("switch", "--quiet", "--create", "next", "HEAD~1");
    place.git("branch", "--quiet", "--delete", "--force", "main");
    expect((await place.ralphctl("status")).stdout).not.toContain("follow");
    expect((await place.ralphctl("land")).stdout).toBe("Nothing has landed for next yet\n");
  });
});
