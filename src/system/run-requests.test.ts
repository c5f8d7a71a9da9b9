import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { openRequests, sendRequest } from "./run-requests.ts";

const asked = (gitFolder: string, run: string) => {
  const requests = openRequests(gitFolder, run);
  return { stopAfter: requests.stopAfter(), isPaused: requests.isPaused(), resume: requests.takeResume() };
};
const NOTHING = { stopAfter: false, isPaused: false, resume: false };

test("P-40 a run sees what it was asked, and a later run nothing of it", async () => {
  const gitFolder = temporaryFolder();
  const place = { gitFolder, run: "r-1" };
  expect(asked(gitFolder, "r-1")).toEqual(NOTHING);
  await sendRequest(place, "stop after");
  await sendRequest(place, "pause");
  expect(asked(gitFolder, "r-1")).toEqual({ stopAfter: true, isPaused: true, resume: false });
  expect(asked(gitFolder, "r-2")).toEqual(NOTHING);
});

test("P-40 who is asked to go on is so once, and is not paused any more; the last word counts", async () => {
  const gitFolder = temporaryFolder();
  const place = { gitFolder, run: "r-1" };
  await sendRequest(place, "pause");
  await sendRequest(place, "resume");
  expect(asked(gitFolder, "r-1")).toEqual({ stopAfter: false, isPaused: false, resume: true });
  expect(asked(gitFolder, "r-1")).toEqual(NOTHING);
  await sendRequest(place, "resume");
  await sendRequest(place, "pause");
  expect(asked(gitFolder, "r-1")).toEqual({ stopAfter: false, isPaused: true, resume: false });
});

test("P-40 a run that ends leaves no requests, those of killed ones included", async () => {
  const gitFolder = temporaryFolder();
  await sendRequest({ gitFolder, run: "r-killed" }, "pause");
  await sendRequest({ gitFolder, run: "r-2" }, "stop after");
  openRequests(gitFolder, "r-2").clear();
  expect(asked(gitFolder, "r-2")).toEqual(NOTHING);
  expect(existsSync(join(gitFolder, "ralph", "requests"))).toBe(false);
  openRequests(gitFolder, "r-2").clear();
});

test("W-05 a link that leads out of the git folder is refused", async () => {
  const gitFolder = temporaryFolder({ "ralph/x": "" });
  const outside = temporaryFolder();
  symlinkSync(outside, join(gitFolder, "ralph", "requests"));
  await expect(sendRequest({ gitFolder, run: "r-1" }, "pause")).rejects.toMatchObject({ kind: "data" });
  expect(readdirSync(outside)).toEqual([]);
});

test("U-04 P-40 a request is never seen without where it came from", async () => {
  const gitFolder = temporaryFolder({});
  const [run, file] = ["r-1", join(gitFolder, "ralph", "requests", "r-1.pause")];
  const seen = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    const state = { isSent: false };
    const sending = sendRequest({ gitFolder, run }, "pause", "the page").then(() => (state.isSent = true));
    while (!state.isSent) {
      if (existsSync(file)) seen.add(readFileSync(file, "utf8"));
      await setImmediate();
    }
    await sending;
    expect(openRequests(gitFolder, run).from()).toBe("the page");
    openRequests(gitFolder, run).clear();
  }
  expect([...seen].filter((text) => text !== "the page")).toEqual([]);
});
