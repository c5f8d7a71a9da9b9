import type { Fleet } from "../fleet.ts";
import { alone, type Database, together } from "./connection.ts";
import { cool, listCooldowns, reserve, spend } from "./fleet-budget.ts";
import { addAnswer, addAsk, appendEvents, countSpooled, findAnswer, listAsks, listEvents } from "./fleet-events.ts";
import {
  addIntent,
  closeIntent,
  findLanded,
  keepLander,
  leaveLander,
  listOpenIntents,
  takeLander,
} from "./fleet-landing.ts";
import { beatMember, joinFleet, leaveFleet, listMembers } from "./fleet-members.ts";
import {
  addRequest,
  beatRun,
  beginRun,
  endRun,
  findRun,
  giveIterationBack,
  listActive,
  listNewest,
  readRequests,
  takeIteration,
} from "./fleet-runs.ts";

export type Shared = Omit<Fleet, "store" | "name" | "owner" | "listen" | "close">;

/** All that machines share beside tasks. */
export const sharedIn = (c: Database): Shared => ({
  ...runs(c),
  ...members(c),
  ...landing(c),
  ...events(c),
  ...budget(c),
});

const runs = (c: Database) =>
  ({
    beginRun: (begun) => alone(c, (on) => beginRun(on, begun)),
    activeRuns: () => alone(c, listActive),
    listRuns: (limit = 20) => alone(c, (on) => listNewest(on, limit)),
    getRun: (id) => alone(c, (on) => findRun(on, id)),
    beatRun: (id, owner) => alone(c, (on) => beatRun(on, id, owner)),
    endRun: (id, end) => alone(c, (on) => endRun(on, id, end)),
    takeIteration: (run) => alone(c, (on) => takeIteration(on, run)),
    giveIterationBack: (run, number) => alone(c, (on) => giveIterationBack(on, run, number)),
    request: (run, kind, from) => alone(c, (on) => addRequest(on, run, { kind, from })),
    requests: (run) => alone(c, (on) => readRequests(on, run)),
  }) satisfies Partial<Fleet>;

const members = (c: Database) =>
  ({
    join: (member) => alone(c, (on) => joinFleet(on, member)),
    beat: (member, state) => alone(c, (on) => beatMember(on, member, state)),
    leave: (member) => alone(c, (on) => leaveFleet(on, member)),
    members: () => alone(c, listMembers),
  }) satisfies Partial<Fleet>;

const landing = (c: Database) =>
  ({
    takeLander: (target, by) => alone(c, (on) => takeLander(on, target, by)),
    keepLander: (target, epoch) => alone(c, (on) => keepLander(on, target, epoch)),
    leaveLander: (target, epoch) => alone(c, (on) => leaveLander(on, target, epoch)),
    addIntent: (intent) => alone(c, (on) => addIntent(on, intent)),
    closeIntent: (intent, by) => alone(c, (on) => closeIntent(on, intent, by)),
    openIntents: (target) => alone(c, (on) => listOpenIntents(on, target)),
    landedBy: (target, commits) => alone(c, (on) => findLanded(on, target, commits)),
  }) satisfies Partial<Fleet>;

const events = (c: Database) =>
  ({
    appendEvents: (run, batch) => alone(c, (on) => appendEvents(on, run, batch)),
    spooled: (run, spool) => alone(c, (on) => countSpooled(on, run, spool)),
    eventsAfter: (run, after, limit = 1000) => alone(c, (on) => listEvents(on, run, { after, limit })),
    ask: (question) => alone(c, (on) => addAsk(on, question)),
    asked: (member) => alone(c, (on) => listAsks(on, member)),
    answer: (ask, answer) => alone(c, (on) => addAnswer(on, ask, answer)),
    answerTo: (ask) => alone(c, (on) => findAnswer(on, ask)),
  }) satisfies Partial<Fleet>;

const budget = (c: Database) =>
  ({
    reserve: (run, share) => together(c, (on) => reserve(on, run, share)),
    spend: (run, used, holder) => alone(c, (on) => spend(on, run, { used, holder })),
    cool: (account, harness, cooldown) => alone(c, (on) => cool(on, { account, harness }, cooldown)),
    cooldowns: () => alone(c, listCooldowns),
  }) satisfies Partial<Fleet>;
