import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { createHash } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import {
  emptyLaneTmp,
  inTemporaryFolder,
  isAbandoned,
  newLaneTmp,
  removeAbandonedFolders,
} from "./temporary-folder.ts";

const tag = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
const nameOf = (host: string, pid: number, start = "0"): string =>
  `ralphctl-clean-${tag(host)}.${pid}.${tag(start)}-a1B2c3`;

test("P-41 a folder is abandoned when its process is gone, also if another has its number now", async () => {
  await inTemporaryFolder("clean", async (own) => {
    const names = {
      "of this process": basename(own),
      "of one that is gone": nameOf(hostname(), 2 ** 22 + 1),
      "of one whose number we have": nameOf(hostname(), process.pid, "another time"),
      "of another host": nameOf("elsewhere", 2 ** 22 + 1),
      "of nobody": "ralphctl-demo-a1B2c3",
    };
    expect(
      Object.entries(names)
        .filter(([, name]) => isAbandoned(name))
        .map(([whose]) => whose),
    ).toEqual(["of one that is gone", "of one whose number we have"]);
  });
});

test("P-41 abandoned folders are removed with all that is in them, and nothing that a link leads to", async () => {
  const place = temporaryFolder({ "kept/file.txt": "text" });
  vi.stubEnv("TMPDIR", place);
  onTestFinished(() => void vi.unstubAllEnvs());
  const gone = join(place, nameOf(hostname(), 2 ** 22 + 1));
  const link = join(place, nameOf(hostname(), 2 ** 22 + 2));
  const other = join(place, nameOf("elsewhere", 2 ** 22 + 1));
  mkdirSync(join(gone, "tree"), { recursive: true });
  mkdirSync(other);
  symlinkSync(join(place, "kept"), link);
  await removeAbandonedFolders();
  expect([gone, link, other, join(place, "kept/file.txt")].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test("L-06 a lane's folder for temporary files is private, short enough for sockets, and known as ours", async () => {
  const long = temporaryFolder({ [`${"long".repeat(10)}/x`]: "" });
  vi.stubEnv("TMPDIR", join(long, "long".repeat(10)));
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = await newLaneTmp();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(folder.length).toBeLessThan(60);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await removeAbandonedFolders();
  expect(existsSync(folder)).toBe(true);
  const pid = String(process.pid);
  const gone = folder.replace(`.${pid}.`, `.${2 ** 22 + 1}.`);
  mkdirSync(gone);
  await removeAbandonedFolders();
  expect(existsSync(gone)).toBe(false);
});

test("L-21 a lane's folder for temporary files is emptied, closed folders too, and no link is followed", async () => {
  const outside = temporaryFolder({ file: "" });
  const folder = await newLaneTmp();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "closed", "inner"), { recursive: true });
  chmodSync(join(folder, "closed"), 0o500);
  symlinkSync(outside, join(folder, "link"));
  await emptyLaneTmp(folder);
  expect([readdirSync(folder), readdirSync(outside)]).toEqual([[], ["file"]]);
  rmSync(folder, { recursive: true });
  symlinkSync(outside, folder);
  await emptyLaneTmp(folder);
  expect([readdirSync(folder), readdirSync(outside)]).toEqual([[], ["file"]]);
});
