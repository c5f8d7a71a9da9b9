import { expect, test, vi } from "vitest";
import { createBell } from "../../loop/desk.ts";
import { watchFleetRequests } from "./fleet-requests.ts";

const NOTHING = { stop: false, stopAfter: false, isPaused: false, resumes: 0, from: undefined };

const PATIENT = { timeout: 60_000 };

test("F-06 a worker hears of requests while it works on a run, and asks for them no more when it has ended", async () => {
  const wake = createBell();
  const over = new AbortController();
  let asked = 0;
  let isPaused = false;
  const shared = {
    requests: async () => {
      asked += 1;
      return await Promise.resolve({ ...NOTHING, isPaused });
    },
  };
  const { requests } = watchFleetRequests({ shared, wake }, { run: "r-1", isFollower: false, over: over.signal });
  await vi.waitUntil(() => asked === 1, PATIENT);
  isPaused = true;
  wake.ring();
  await vi.waitUntil(() => requests.isPaused(), PATIENT);
  over.abort();
  const before = asked;
  // It waits for this, and for a second at most.
  wake.ring();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(asked).toBe(before);
});
