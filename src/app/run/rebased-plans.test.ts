import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { restoreProgress } from "../sprint/start-progress.ts";
import { bringHome } from "./lane-inputs.ts";

/** A rebase of the person that has taken the plan away, and goes on when it is told to. */
async function rebasing(file: string, text: string) {
  const root = temporaryRepository({ "a.txt": "" });
  write(root, { [file]: text });
  git(root, "add", ".");
  git(root, "commit", "--quiet", "--message", "Plan");
  const signs = temporaryFolder();
  const stay = `echo >${signs}/begun; until test -e ${signs}/go; do sleep 0.02; done`;
  const args = ["rebase", "--quiet", "--force-rebase", "--root", "--exec", stay];
  const ended = once(spawn("git", args, { cwd: root, stdio: "ignore" }), "close");
  await vi.waitUntil(() => existsSync(join(signs, "begun")), { timeout: 50_000 });
  expect(existsSync(join(root, file))).toBe(false);
  return { root, ended, goOn: () => write(signs, { go: "" }) };
}

test("T-41 L-03 an agent's edit of a plan waits for a rebase of the person, which would stop at a file in its place", async () => {
  const file = "IMPLEMENTATION_PLAN.md";
  const { root, ended, goOn } = await rebasing(file, "- [ ] one\n");
  const lane = temporaryFolder({ [file]: "- [ ] one\n- [ ] two\n" });
  const scope = { planFiles: [file] } as never;
  const laid = new Map([[file, "- [ ] one\n"]]);
  const brought = bringHome({ root, scope, env: process.env, inTree: (path) => path }, lane, laid);
  goOn();
  expect([await brought, await ended]).toEqual([[], [0, null]]);
  expect(readFileSync(join(root, file), "utf8")).toBe("- [ ] one\n- [ ] two\n");
});

test("T-41 P-53 a PROGRESS.yaml that a rebase of the person has taken away is not put back by ralphctl", async () => {
  const file = "PROGRESS.yaml";
  const { root, ended, goOn } = await rebasing(file, "goal: new\n");
  const copies = temporaryFolder({ [file]: "goal: old\n" });
  const sprint = { file, lastGood: { root: copies, path: join(copies, file) } };
  const restored = restoreProgress({ store: undefined, root, scope: "sprint", sprint } as never);
  goOn();
  expect([await restored, await ended]).toEqual([false, [0, null]]);
  expect(readFileSync(join(root, file), "utf8")).toBe("goal: new\n");
});
