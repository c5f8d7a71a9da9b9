import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../at-end.ts";
import { ralphctl, type Start } from "../built-program.ts";
import { fileAppears } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { pageAt, servedPage } from "../page-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SCRIPT = `sessions:
  - steps:
      - append: { path: done.txt, text: "done\\n" }
      - say: <task-done>{task}</task-done>
`;
const LONG = { timeout: 50_000, interval: 20 };

/** A desktop whose browser writes down what it is given. */
function desktop() {
  const bin = temporaryFolder({ "xdg-open": '#!/bin/sh\nprintf "%s\\n" "$1" >> "$(dirname "$0")/opened"\n' });
  chmodSync(join(bin, "xdg-open"), 0o755);
  const env: NonNullable<Start["env"]> = { DISPLAY: ":7", PATH: `${bin}:${process.env["PATH"]}` };
  return { env, opened: join(bin, "opened") };
}

/** The page that a run left. */
async function pageOf(folder: string) {
  const { stdout } = await ralphctl(["ui", "--url"], { cwd: folder });
  const [, port, token] = /:(\d+)\/#token=(.+)\n$/.exec(stdout) ?? [];
  return { url: stdout.trim(), page: pageAt(Number(port), token ?? "") };
}

/** Where none is served any more, this one ends by itself. */
async function endPage(folder: string): Promise<void> {
  const { stderr } = await ralphctl(["ui", "--no-open", "--idle", "1s"], { cwd: folder });
  const [, pid] = /by process (\d+)/.exec(stderr) ?? [];
  if (pid !== undefined) process.kill(Number(pid), "SIGTERM");
}

describe("U-01 the page beside a run", () => {
  test("U-01 run --ui starts the page in a process of its own, which survives the run and is used by the next", async () => {
    const { folder, task } = await loopWorkspace({ script: SCRIPT });
    atEnd(async () => await endPage(folder));
    const { env, opened } = desktop();
    const first = await ralphctl(["run", "--ui"], { cwd: folder, env });
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("The page is open in your browser") });
    const { url, page } = await pageOf(folder);
    await fileAppears(opened);
    expect((await page.get("/runs")).json).toHaveLength(1);
    await task("add", "Another");
    const second = await ralphctl(["run", "--ui"], { cwd: folder, env });
    expect(second.code).toBe(0);
    expect((await pageOf(folder)).url).toBe(url);
    expect((await page.get("/runs")).json).toHaveLength(2);
    for (const { stdout, stderr } of [first, second]) expect(`${stdout}${stderr}`).not.toContain(page.token);
  });

  test("U-03 the browser is given a link that is good once, and has no token in it", async () => {
    const { folder } = await loopWorkspace({ script: SCRIPT });
    const page = await servedPage(folder);
    const { env, opened } = desktop();
    expect(await ralphctl(["ui"], { cwd: folder, env })).toMatchObject({ code: 0, stdout: `${page.url}\n` });
    await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, "utf8").endsWith("\n"), LONG);
    const link = new URL(readFileSync(opened, "utf8").trim());
    expect(link.href).not.toContain(page.token);
    const use = async (path: string) => await page.send({ path, headers: { host: link.host } });
    expect(await use(link.pathname)).toMatchObject({ status: 303, headers: { location: `/#token=${page.token}` } });
    const again = await use(link.pathname);
    expect(again.status).toBe(403);
    expect(again.text).toContain("ralphctl ui --url");
    for (const path of [
      "/open/",
      "/open/x",
      `${link.pathname.slice(0, -1)}A`,
      `/open/${"a".repeat(22)}.1.${"b".repeat(43)}`,
    ]) {
      expect((await use(path)).status).toBe(403);
    }
  });

  test("U-01 a page that cannot start, or is killed, does not touch the run", async () => {
    const { folder, task, states } = await loopWorkspace({ script: SCRIPT });
    atEnd(async () => await endPage(folder));
    const state = temporaryFolder({ "ralphctl/page": "a file in place of the folder" });
    const broken = await ralphctl(["run", "--ui"], { cwd: folder, env: { XDG_STATE_HOME: state } });
    expect(broken).toMatchObject({ stderr: expect.stringContaining("The page did not start") });
    expect(await states()).toEqual({ "Do it": "done" });
    await task("add", "Another");
    const page = await servedPage(folder);
    const run = ralphctl(["run", "--ui"], { cwd: folder });
    process.kill(page.pid, "SIGKILL");
    expect((await run).code).toBe(0);
    expect(await states()).toEqual({ "Do it": "done", Another: "done" });
  });

  test("U-01 a page that nobody needs ends by itself, and one that is open does not", async () => {
    const { folder } = await loopWorkspace({ script: SCRIPT });
    const page = await servedPage(folder, "--idle", "1s");
    const stream = page.events();
    await stream.until(({ event }) => event === "snapshot");
    // Time itself is the subject: it lasts longer than it may be idle.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect((await page.get("/runs")).status).toBe(200);
    stream.close();
    expect(await page.ended).toBe(0);
  });
});
