import type { RunEvent } from "../../domain/run/event.ts";
import type { Member, MemberHarness, MemberLane } from "../../store/store.ts";
import type { ReadyHarnesses } from "../run/check-harnesses.ts";
import type { OpenFleet } from "./open-fleet.ts";

/** This machine as the others see it. */
export interface Membership {
  /** It has another number if it was silent for so long that others have forgotten it. */
  readonly member: () => Member;
  /** The run that it works on. */
  readonly setRun: (run: string | undefined) => Promise<void>;
  readonly report: (problem: string | undefined) => void;
  readonly onEvent: (event: RunEvent) => void;
  readonly leave: () => Promise<void>;
}

export interface JoinRequest {
  readonly name: string;
  readonly lanes: number;
  readonly agents: ReadyHarnesses;
  readonly version: string;
}

/** Joins the fleet, and shows signs of life until it leaves. */
export async function joinFleet(fleet: OpenFleet, { name, lanes, agents, version }: JoinRequest): Promise<Membership> {
  const { shared, settings, accountOf } = fleet;
  const harnesses: MemberHarness[] = agents.harnesses.map((agent) => ({
    name: agent.name,
    account: accountOf(agent as unknown as Parameters<typeof accountOf>[0]),
  }));
  const join = async (): Promise<Member> =>
    await shared.join({ owner: shared.owner, name, lanes, harnesses, version, leaseMs: settings.lease });
  let member = await join();
  const doing = new Map<number, MemberLane>();
  let run: string | undefined;
  let problem: string | undefined;
  const showLife = async () => await shared.beat(member, { run, lanes: [...doing.values()], problem });
  const beat = async (): Promise<void> => void (await showLife().catch(() => undefined)); // it may be away
  const timer = setInterval(() => void beat(), Math.min(settings.lease / 3, 5000)).unref();
  return {
    member: () => member,
    setRun: async (now) => {
      // Its lanes are known by its number, which may be another's by now.
      if (now !== undefined && (await showLife().catch(() => "away")) === "lost") member = await join();
      run = now;
      doing.clear();
      void beat();
    },
    report: (now) => {
      problem = now;
      void beat();
    },
    onEvent: (event) => {
      const known = "iteration" in event && event.iteration !== undefined ? doing.get(event.iteration) : undefined;
      if (event.type === "iteration.started") {
        const { lane, task, iteration } = event;
        doing.set(iteration, { lane, task: task?.id, iteration, doing: "session" });
      } else if (known === undefined) return;
      else if (event.type === "iteration.finished") doing.delete(event.iteration);
      else if (event.type === "claim.made" && event.claim === "done")
        doing.set(event.iteration, { ...known, doing: "proof" });
      else return;
      void beat();
    },
    leave: async () => {
      clearInterval(timer);
      await shared.leave(member).catch(() => undefined); // without the database, it is gone after its lease
    },
  };
}
