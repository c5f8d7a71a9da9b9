import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { accessFaults, hasBrowser, openTab } from "../page-browser.ts";
import { servedPage } from "../page-client.ts";

test("U-09 script and style of the page are at most 120 kB, compressed", () => {
  const size = (name: string): number => gzipSync(readFileSync(join("dist", "page", name))).length;
  expect(size("main.js") + size("page.css")).toBeLessThan(120 * 1024);
});

describe.runIf(hasBrowser)("the page in a browser (skipped where Chromium is not installed)", () => {
  test("U-03 a page with an old token, or with none, says what to type", async () => {
    const place = await loopWorkspace({ script: "[]" });
    const served = await servedPage(place.folder);
    for (const hash of ["", "#token=old"]) {
      const { page } = await openTab(`http://127.0.0.1:${served.port}/${hash}`);
      await page.getByText("ralphctl ui --url").waitFor();
      expect([await accessFaults(page), page.url()]).toEqual([[], expect.not.stringContaining("old")]);
    }
  });
});
