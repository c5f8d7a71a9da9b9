import { describe, expect, test } from "vitest";
import { atEnd } from "../../../test/at-end.ts";
import { newDatabase, postgresMissing } from "../../../test/postgres.ts";
import { typed } from "../../../test/recording-io.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { openStore } from "../task-store.ts";

describe.skipIf(postgresMissing !== undefined)("F-01 a shell of a fleet", () => {
  test("F-01 clones share tasks and what is known of them, and each keeps for itself what is about its files", async () => {
    const first = temporaryRepository({ ".ralph/config.yaml": "version: 1\n", "a.txt": "1\n" });
    const second = `${temporaryFolder()}/clone`;
    git(first, "clone", "--quiet", first, second);
    const env = { RALPHCTL_FLEET_URL: await newDatabase(), PATH: process.env["PATH"]!, HOME: temporaryFolder() };
    expect((await typed(["fleet", "init"], { cwd: first, env })).code).toBe(0);
    expect((await typed(["task", "add", "Shared"], { cwd: first, env })).code).toBe(0);
    expect((await typed(["task", "list"], { cwd: second, env })).stdout).toContain("Shared");
    expect(
      (await typed(["task", "list"], { cwd: second, env: { ...env, RALPHCTL_FLEET_URL: "" } })).stdout,
    ).not.toContain("Shared");
    const [{ store: one }, { store: two }] = [await openStore(first, env), await openStore(second, env)];
    atEnd(() => one.close());
    atEnd(() => two.close());
    for (const key of [
      "begun/refs/ralph/target/main/1",
      "own-plans/workspace/x",
      "proofs",
      "landed/t-1",
      "agent-gates",
    ])
      await one.setMeta(key, "of the first");
    const seen = async (key: string) => [await one.getMeta(key), await two.getMeta(key)];
    expect(await seen("begun/refs/ralph/target/main/1")).toEqual(["of the first", undefined]);
    expect(await seen("own-plans/workspace/x")).toEqual(["of the first", undefined]);
    expect(await seen("proofs")).toEqual(["of the first", undefined]);
    expect(await seen("landed/t-1")).toEqual(["of the first", "of the first"]);
    await two.preview(async (trial) => {
      await trial.add([{ scope: "workspace", title: "Tried" }]);
      await trial.setMeta("proofs", "tried");
    });
    expect([await two.getMeta("proofs"), (await one.list()).tasks.map(({ title }) => title)]).toEqual([
      undefined,
      ["Shared"],
    ]);
  });
});
