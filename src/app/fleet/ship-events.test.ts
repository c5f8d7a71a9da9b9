import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../../../test/at-end.ts";
import { fleetDatabase } from "../../../test/fleet-database.ts";
import { postgresMissing } from "../../../test/postgres.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { RalphError } from "../../domain/error.ts";
import { openPostgresFleet } from "../../store/index.ts";
import type { Fleet } from "../../store/store.ts";
import { openMirrorFile } from "../../system/mirror-file.ts";
import { newSpool, shipEvents, shipLeft } from "./ship-events.ts";

const LONG = { timeout: 60_000, interval: 20 };
const PATIENT = 60_000;
const RUN = "r-20261118-000000-0001";

async function newFleet(): Promise<Fleet> {
  const fleet = await openPostgresFleet({ url: await fleetDatabase(), repository: "r", isNew: true });
  atEnd(() => fleet.close());
  const owner = { host: "a", pid: 1, startTime: "1" };
  await fleet.beginRun({ id: RUN, scope: "workspace", target: "t", request: {}, limits: {}, owner, leaseMs: 60_000 });
  return fleet;
}

const arrived = async (fleet: Fleet): Promise<string[]> => (await fleet.eventsAfter(RUN, 0)).map(({ line }) => line);
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `{"n":${from + n}}`);
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

describe.skipIf(postgresMissing !== undefined)("F-04 events on their way to the fleet", () => {
  test("F-04 whatever gets lost on the way, the database, an answer or the sender, each line arrives once, in order", async () => {
    const fleet = await newFleet();
    const spool = newSpool(temporaryFolder());
    writeFileSync(spool.file, textOf(numbers(0, 3)));
    const trouble: (string | undefined)[] = [];
    let calls = 0;
    const away = new RalphError("unavailable", "away");
    const unsure: Pick<Fleet, "appendEvents" | "spooled"> = {
      spooled: async (...asked) => await fleet.spooled(...asked),
      appendEvents: async (...asked) => {
        calls += 1;
        if (calls % 3 === 1) throw away;
        const there = await fleet.appendEvents(...asked);
        // It is there, and nobody hears of it.
        if (calls % 3 === 2) throw away;
        return there;
      },
    };
    const first = shipEvents({ ...spool, fleet: unsure, run: RUN, onTrouble: (error) => trouble.push(error?.message) });
    await vi.waitUntil(async () => (await arrived(fleet)).length === 3, LONG);
    await vi.waitUntil(() => trouble.includes(undefined), LONG);
    expect(trouble.slice(0, 2)).toEqual(["away", undefined]);
    // The sender dies here, and with it what it knew. Half a line is none yet.
    appendFileSync(spool.file, `${textOf(numbers(3, 1200))}{"n":12`);
    const second = shipEvents({ ...spool, fleet: unsure, run: RUN });
    appendFileSync(spool.file, "00}\n");
    expect(await second.close(PATIENT)).toBe("sent");
    expect(await arrived(fleet).then(async (lines) => [...lines, ...(await rest(fleet, lines.length))])).toEqual(
      numbers(0, 1201),
    );
    expect(existsSync(spool.file)).toBe(false);
    await first.close(0);
  });

  test("F-04 what could not be sent stays, and is sent by the next process of the machine", async () => {
    const fleet = await newFleet();
    const root = temporaryFolder();
    const folder = join(root, ".ralph", "runs", RUN);
    await openMirrorFile(join(folder, "events.ndjson"));
    const spool = newSpool(folder);
    writeFileSync(spool.file, textOf(numbers(0, 5)));
    const gone = async (): Promise<never> => {
      throw new RalphError("unavailable", "away");
    };
    const shipping = shipEvents({ ...spool, fleet: { appendEvents: gone, spooled: gone }, run: RUN });
    expect(await shipping.close(10)).toBe("kept");
    // Its process lives, so it is its own to send.
    await shipLeft(fleet, root, PATIENT);
    expect(await arrived(fleet)).toEqual([]);
    const left = spool.file.replace(/\.\d+\.\w+\.spool$/, ".1.1.spool");
    writeFileSync(left, readFileSync(spool.file));
    await shipLeft(fleet, root, PATIENT);
    expect([await arrived(fleet), existsSync(left), existsSync(spool.file)]).toEqual([numbers(0, 5), false, true]);
  });

  test("F-04 a run that the fleet has forgotten takes no events, and nobody waits for it", async () => {
    const fleet = await newFleet();
    const spool = newSpool(temporaryFolder());
    writeFileSync(spool.file, "{}\n");
    const said: string[] = [];
    const onTrouble = (error: RalphError | undefined): void => void said.push(error?.message ?? "");
    expect(await shipEvents({ ...spool, fleet, run: "none", onTrouble }).close(PATIENT)).toBe("kept");
    expect(said).toEqual([expect.stringContaining("knows no run none")]);
  });

  test("F-04 a copy that several processes write has each line once, also after one died in the middle of a line", async () => {
    const path = join(temporaryFolder(), "runs", "events.ndjson");
    const [one, other] = [await openMirrorFile(path), await openMirrorFile(path)];
    expect([one.add(0, ["a", "b"]), other.add(0, ["a", "b", "c"]), one.add(1, ["b", "c", "d"])]).toEqual([2, 3, 4]);
    expect([other.add(9, ["z"]), other.count()]).toEqual([4, 4]);
    appendFileSync(path, "half of a l");
    expect(one.add(4, ["e\nf"])).toBe(5);
    expect(readFileSync(path, "utf8")).toBe("a\nb\nc\nd\ne f\n");
  });
});

const rest = async (fleet: Fleet, after: number): Promise<string[]> =>
  (await fleet.eventsAfter(RUN, after, 5000)).map(({ line }) => line);
