import { expect, test } from "vitest";
import { isNewEnough, loadSqlite } from "./sqlite-driver.ts";

test.each([
  [undefined, false],
  ["3.45.1", false],
  ["3.51.2", false],
  ["3.51.3", true],
  ["3.52.0", true],
  ["4.0.0", true],
])("SQLite %s is new enough: %s", (version, isEnough) => {
  expect(isNewEnough(version)).toBe(isEnough);
});

test("dag-R1 the SQLite that is used is one that several processes can share", async () => {
  const db = (await loadSqlite()).open(":memory:");
  expect(isNewEnough(String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]))).toBe(true);
  db.close();
});
