import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentOutcome } from "../agent-event.ts";
import { nextAgent, nextCooldown, type Cooldown, type CooldownInput } from "./next-agent.ts";

const NOW = 1_000_000;
const WALL = 1_794_000_000_000;
const limit = (more: Partial<AgentOutcome & { kind: "limit" }>): AgentOutcome => ({
  kind: "limit",
  limit: "five_hour",
  message: "Limit reached",
  ...more,
});
const OUTAGE: AgentOutcome = {
  kind: "api-error",
  status: 529,
  error: "overloaded",
  message: "Overloaded",
  retryable: true,
};
const fate = (more: Partial<CooldownInput>): CooldownInput => ({
  outcome: "limited",
  ended: limit({}),
  startedMs: NOW - 1,
  nowMs: NOW,
  wallMs: WALL,
  chance: 0.5,
  ...more,
});

describe("P-43 what a session means for its agent", () => {
  test("a limit lasts until it is reset; one that does not say when, five minutes", () => {
    const again = nextCooldown(
      { why: "limit", sinceMs: 0, untilMs: 0, times: 2, message: "" },
      fate({ ended: limit({ resetsAtMs: 1 }) }),
    );
    expect(again).toMatchObject({ why: "limit", untilMs: NOW + 8000 });
    const known = nextCooldown(undefined, fate({ ended: limit({ resetsAtMs: WALL + 7000 }) }));
    expect(known).toEqual({ why: "limit", sinceMs: NOW, untilMs: NOW + 7000, times: 1, message: "Limit reached" });
    expect(nextCooldown(undefined, fate({}))).toMatchObject({ why: "limit", untilMs: NOW + 300_000 });
  });

  test("X-77 X-78 an agent without login or model is out for the rest of the run", () => {
    const none = { kind: "login", message: "No", why: "missing" } as const;
    const login = nextCooldown(undefined, fate({ outcome: "login", ended: none }));
    expect(login).toMatchObject({ why: "login", untilMs: Infinity, message: "There is no login: No" });
    const elsewhere = nextCooldown(undefined, fate({ outcome: "login", ended: { ...none, why: "region" } }));
    expect(elsewhere).toMatchObject({ why: "region", untilMs: Infinity });
    const asked = { model: "x", where: "--model" };
    const model = nextCooldown(undefined, fate({ outcome: "model", ended: { kind: "model", message: "No" }, asked }));
    expect(model).toMatchObject({ why: "model", untilMs: Infinity, message: "No", asked });
  });

  test("P-20 an agent that fails again with the same words, before its model answers, is out", () => {
    const crash = (about: string, detail: string, more: Partial<CooldownInput> = {}) =>
      fate({
        outcome: "crashed",
        ended: { kind: "crashed", code: 1, signal: null, detail },
        about,
        isUnanswered: true,
        hasNeverWorked: true,
        ...more,
      });
    const first = nextCooldown(undefined, crash("a", "no config (pid 17)"));
    expect(first).toMatchObject({ why: "crash" });
    const again = (input: CooldownInput) => nextCooldown({ ...first!, sinceMs: 0 }, input)?.why;
    expect(again(crash("a", "no config (pid 18)"))).toBe("broken");
    expect(again(crash("a", "another one"))).toBe("crash");
    expect(again(crash("a", "no config (pid 18)", { isUnanswered: false }))).toBe("crash");
    // One that has worked may fail because of its task; not because of two.
    expect(again(crash("a", "no config (pid 18)", { hasNeverWorked: false }))).toBe("crash");
    expect(again(crash("b", "no config (pid 18)", { hasNeverWorked: false }))).toBe("broken");
    const ends = (code: number | null, signal: string | null) =>
      again(crash("b", "", { ended: { kind: "crashed", code, signal, detail: "no config (pid 18)" } }));
    expect([ends(null, "SIGKILL"), ends(137, null), ends(143, null)]).toEqual(["crash", "crash", "crash"]);
    expect([ends(null, "SIGSEGV"), ends(128, null), ends(null, null)]).toEqual(["broken", "broken", "broken"]);
  });

  test("too many requests are over soon, an unpaid bill is not", () => {
    const short = nextCooldown(undefined, fate({ ended: limit({ limit: "rate_limit" }) }));
    expect(short).toMatchObject({ why: "limit", untilMs: NOW + 1000 });
    const bill = nextCooldown(undefined, fate({ ended: limit({ limit: "billing" }) }));
    expect(bill).toMatchObject({ why: "bill", untilMs: Infinity });
  });

  test("P-20 pauses after outages grow, with jitter, up to five minutes", () => {
    const pauses: number[] = [];
    let cooldown: Cooldown | undefined;
    for (let n = 0; n < 6; n += 1) {
      cooldown = nextCooldown(cooldown, fate({ outcome: "outage", ended: OUTAGE, startedMs: NOW }));
      pauses.push(cooldown!.untilMs - NOW);
    }
    expect(pauses).toEqual([1000, 8000, 64_000, 300_000, 300_000, 300_000]);
    const at = (chance: number) => nextCooldown(undefined, fate({ outcome: "outage", ended: OUTAGE, chance }))!.untilMs;
    expect([at(0), at(1)]).toEqual([NOW + 750, NOW + 1250]);
  });

  test("a refused login lasts, a crash a minute, and whatever works clears all", () => {
    const refused = nextCooldown(undefined, fate({ outcome: "login", ended: { kind: "login", message: "Log in" } }));
    const message = "The login was refused: Log in";
    expect(refused).toEqual({ why: "login", sinceMs: NOW, untilMs: Infinity, times: 1, message });
    const crash: AgentOutcome = { kind: "crashed", code: 1, signal: null, detail: "ended" };
    const crashed = nextCooldown(refused, fate({ outcome: "crashed", ended: crash, startedMs: NOW }));
    expect(crashed).toEqual({ why: "crash", sinceMs: NOW, untilMs: NOW + 60_000, times: 2, message: "ended" });
    for (const outcome of ["verified", "rejected", "idle", "timed-out", "stopped"] as const) {
      expect(nextCooldown(refused, fate({ outcome, ended: { kind: "done" }, startedMs: NOW }))).toBeUndefined();
    }
  });
});

describe("L-08 what a session in another lane means that began before its agent was paused", () => {
  const paused = nextCooldown(undefined, fate({ ended: limit({ resetsAtMs: WALL + 7000 }) }))!;
  const older = (more: Partial<CooldownInput>): Cooldown | undefined =>
    nextCooldown(paused, fate({ nowMs: NOW + 100, wallMs: WALL + 100, ...more }));

  test("it ends no pause, whatever came of it", () => {
    expect(older({ outcome: "verified", ended: { kind: "done" } })).toBe(paused);
    expect(older({ outcome: "outage", ended: OUTAGE })).toBe(paused);
  });

  test("the same limit is one pause, and a longer one counts", () => {
    expect(older({ ended: limit({ resetsAtMs: WALL + 7000 }) })).toBe(paused);
    expect(older({ ended: limit({ resetsAtMs: WALL + 9000 }) })).toMatchObject({ untilMs: NOW + 9000, times: 1 });
  });

  test("one that began since then says what holds now", () => {
    expect(older({ outcome: "verified", ended: { kind: "done" }, startedMs: NOW })).toBeUndefined();
  });
});

describe("P-43 whose turn it is", () => {
  const cooldown = (untilMs: number): Cooldown => ({ why: "limit", sinceMs: NOW, untilMs, times: 1, message: "" });

  test("the most preferred that can be started; the first is preferred again later", () => {
    expect(nextAgent([undefined, undefined], NOW)).toEqual({ agent: 0, fromMs: NOW });
    expect(nextAgent([cooldown(NOW + 1), undefined], NOW)).toEqual({ agent: 1, fromMs: NOW });
    expect(nextAgent([cooldown(NOW), undefined], NOW)).toEqual({ agent: 0, fromMs: NOW });
  });

  test("of several, the one with the fewest sessions under way", () => {
    const turn = (cooldowns: readonly (Cooldown | undefined)[], atWork: readonly number[]): number =>
      nextAgent(cooldowns, NOW, atWork).agent;
    expect(turn([undefined, undefined, undefined], [1, 0, 0])).toBe(1);
    expect(turn([undefined, undefined, undefined], [1, 1, 1])).toBe(0);
    expect(turn([undefined, cooldown(NOW + 1), undefined], [2, 0, 1])).toBe(2);
    expect(turn([cooldown(NOW + 5), cooldown(NOW + 5)], [1, 0])).toBe(1);
  });

  test("when none can be started, the one that can be soonest", () => {
    expect(nextAgent([cooldown(NOW + 9), cooldown(NOW + 5)], NOW)).toEqual({ agent: 1, fromMs: NOW + 5 });
    expect(nextAgent([cooldown(Infinity), cooldown(Infinity)], NOW)).toEqual({ agent: 0, fromMs: Infinity });
  });

  test("never one that is left alone while another is not", () => {
    const some = fc.option(fc.integer({ min: NOW - 10, max: NOW + 10 }).map(cooldown), { nil: undefined });
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 4 }), (cooldowns) => {
        const free = cooldowns.findIndex((one) => one === undefined || one.untilMs <= NOW);
        const turn = nextAgent(cooldowns, NOW);
        expect(free === -1 ? turn.fromMs > NOW : turn.agent === free).toBe(true);
      }),
    );
  });
});
