import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { write } from "../../test/temporary-folder.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { readWorkRecord, type WorkRecord, writeWorkRecord } from "./work-record.ts";

test("P-41 the record of a tree is read as it was written, also under the names of earlier versions", async () => {
  const repository = await newRepository({ "a.txt": "a\n" });
  const base = JSON.parse(JSON.stringify(await snapshot(repository))) as WorkRecord["base"];
  const common = { v: 1, base, task: "t-1", left: base, isChecked: true } as const;
  const record: WorkRecord = { ...common, userPaths: ["mine.txt"], indexSyncedTo: { head: "abc" } };
  writeWorkRecord(repository, record);
  expect(readWorkRecord(repository)).toEqual(record);
  const earlier = { ...common, usersOwn: ["mine.txt"], behind: { head: "abc" } };
  write(join(repository.gitFolder, "ralph"), { "work.ndjson": `${JSON.stringify(earlier)}\n` });
  expect(readWorkRecord(repository)).toEqual(record);
});
