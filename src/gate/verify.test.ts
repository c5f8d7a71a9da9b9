import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { git as run, temporaryFolder, write } from "../../test/temporary-folder.ts";
import { compareDefinitions, type Gate, type PinnedGate } from "../domain/gate.ts";
import { judge, type Verdict } from "../domain/verdict.ts";
import { buildTree, commitTree } from "../system/git/commit.ts";
import type { Repository } from "../system/git/repository.ts";
import { restoreFiles } from "../system/git/restore.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import { discoverGates, runGates } from "./gate.ts";

const asGate = ({ id, run }: PinnedGate): Gate => ({ id, run, kind: "workspace", timeoutMs: 30_000, retries: 0 });

/** Steps 5, 8 and 9 of an iteration, as the loop will take them, around a session that only edits files. */
async function iterate(
  repository: Repository,
  edit: () => void,
): Promise<{ verdict: Verdict; putBackPaths: readonly string[] }> {
  const { folder } = repository;
  const pinned = (await discoverGates(folder)).gates;
  const base = await snapshot(repository);
  edit();
  const now = await snapshot(repository, base);
  const built = await buildTree(repository, { base, now }, { maxFileBytes: 5_000_000, userPaths: [], allow: [] });
  const results = await runGates(pinned.map(asGate), {
    folder,
    env: { PATH: process.env["PATH"] },
    marker: { name: "RALPHCTL_TEST_VERIFY", value: `${process.pid}-${built.tree}` },
    outputFolder: temporaryFolder(),
    signal: new AbortController().signal,
  });
  const after = await snapshot(repository, now);
  const changed = (await changesBetween(repository, now, after)).filter(({ before }) => before !== undefined);
  const { restored } = await restoreFiles(
    repository,
    changed.map(({ path, before }) => ({ path, state: before })),
  );
  const verdict = judge({
    results,
    changes: await changesBetween(repository, base, now),
    definitions: compareDefinitions(pinned, (await discoverGates(folder)).gates),
    uncommittable: [],
    protect: [".ralph/config.yaml"],
    notWork: [".ralph"],
    allowNoChange: false,
    earlierNoChange: 0,
  });
  if (verdict.kind === "accepted") {
    const result = await commitTree(repository, { tree: built.tree, head: now.head, message: "Task\n" });
    expect(result.kind === "committed" && (await result.indexed)).toBe(true);
  }
  return { verdict, putBackPaths: restored };
}

const makefile = "check:\n\t@echo gate >> src.txt; echo report > report.txt; grep -q right answer.txt\n";

test("what is proven is committed, and what a gate changed is put back", async () => {
  const repository = await newRepository({ Makefile: makefile, "src.txt": "1\n", "answer.txt": "?\n" });
  const { folder } = repository;
  const wrong = await iterate(repository, () => write(folder, { "answer.txt": "wrong\n", "src.txt": "2\n" }));
  expect(wrong.verdict).toMatchObject({
    kind: "rejected",
    reasons: [{ kind: "gate", result: { gate: { id: "make-check" } } }],
  });
  expect(readFileSync(join(folder, "src.txt"), "utf8")).toBe("2\n");
  const right = await iterate(repository, () => write(folder, { "answer.txt": "right\n" }));
  expect(right).toEqual({ verdict: { kind: "accepted", proof: "gates", agentsGates: [] }, putBackPaths: ["src.txt"] });
  expect(run(folder, "show", "--format=", "--name-only", "HEAD")).toBe("answer.txt");
});

test("a gate that the agent made toothless is a rejection that names it", async () => {
  const repository = await newRepository({ Makefile: makefile, "answer.txt": "?\n" });
  const cheat = await iterate(repository, () =>
    write(repository.folder, { Makefile: "check:\n\ttrue\n", "x.txt": "1" }),
  );
  expect(cheat.verdict).toEqual({
    kind: "rejected",
    reasons: [{ kind: "definition", changed: ["make-check"], removed: [] }],
  });
});
