import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { byLane } from "../../test/lane.ts";
import { modelContract } from "./model.contract.ts";
import { openSqliteStore } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-model-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  "dag-R3 dag-R4 dag-R5 dag-R6 dag-R7 random work leaves both stores the same, and sound",
  { timeout: 120_000 },
  async () => {
    await modelContract(
      ({ run, clock, isAlive, owner }) => {
        const path = join(folder, `${run}.db`);
        const streamMemory = run % 2 === 0 ? undefined : 1;
        return {
          open: () => openSqliteStore({ path, clock, isAlive, owner: owner(), streamMemory }),
          remove() {
            for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
          },
        };
      },
      byLane(5, 40),
    );
  },
);
