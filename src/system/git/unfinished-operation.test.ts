import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { rebaseBegun } from "./unfinished-operation.ts";

test("T-41 a plan file is not written while a rebase of the person's begins", async () => {
  const gitFolder = temporaryFolder();
  await rebaseBegun({ gitFolder });
  mkdirSync(join(gitFolder, "rebase-merge"));
  writeFileSync(join(gitFolder, "rebase-merge/autostash"), "");
  let hasBegun = false;
  const waiting = rebaseBegun({ gitFolder }).then(() => hasBegun);
  await new Promise((resolve) => setTimeout(resolve, 30));
  hasBegun = true;
  writeFileSync(join(gitFolder, "rebase-merge/head-name"), "");
  expect(await waiting).toBe(true);
});
