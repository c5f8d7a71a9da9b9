import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openSqliteStore } from "../../store/index.ts";
import { fileBytes } from "../../system/lines.ts";
import { taskLines } from "./export-tasks.ts";
import { importLines } from "./import-tasks.ts";

const LINES = 1_000_000;
/** What the process may grow by, however many lines there are. */
const MEMORY = 700 * 1024 * 1024;

async function writeLines(path: string): Promise<void> {
  const out = createWriteStream(path);
  for (let index = 0; index < LINES; index += 1) {
    // Ids in no order of age, and every second one needs the one before it.
    const id = (n: number): string => `t-${(Math.imul(n, 2_654_435_761) >>> 0).toString(16).padStart(8, "0")}`;
    const needs = index % 2 === 0 ? [] : [id(index - 1)];
    const createdAt = 1_700_000_000_000 + index;
    const task = { id: id(index), scope: "workspace", title: `Task ${index}`, description: "Words.", needs, createdAt };
    if (!out.write(`${JSON.stringify(task)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

test(
  "an import of 1,000,000 lines shows progress, and neither it nor an export grows with them",
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, "tasks.jsonl");
    await writeLines(file);
    const store = await openSqliteStore({ path: join(folder, "ralph.db") });
    const before = process.memoryUsage().rss;
    let peak = 0;
    const look = (): void => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    };
    const progress: number[] = [];
    const counts = await importLines(store, fileBytes(file), {
      scope: "workspace",
      onProgress: (tasks) => {
        progress.push(tasks);
        look();
      },
    });
    expect(counts).toEqual({ added: LINES, updated: 0, kept: 0 });
    expect(progress.length).toBeGreaterThan(20);
    expect(peak).toBeLessThan(MEMORY);
    let lines = 0;
    for await (const text of taskLines(store)) {
      lines += text.split("\n").length - 1;
      look();
    }
    expect(lines).toBe(LINES);
    expect(peak).toBeLessThan(MEMORY);
    expect((await store.counts())[0]).toMatchObject({ ready: LINES / 2, blocked: LINES / 2 });
    await store.close();
  },
);
