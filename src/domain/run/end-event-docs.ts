import type { EventDocs } from "./event-docs.ts";

/** What the events at the end of a change or a run mean. event-docs.ts has all others. */
export const END_EVENT_DOCS: EventDocs<"change.finished" | "run.finished"> = {
  "change.finished": {
    doc: "One of several changes is done, or nothing more can be done for it. It may come again if a task of it becomes ready.",
    fields: {
      change: ["text", "its id"],
      ending: ["text", "as of a run: `complete`, `failure`, `blocked`, `limit` …"],
      reason: ["text", "why nothing more is done"],
      limit: ["text?", "the limit it reached"],
      left: ["work left", "counts of its tasks"],
    },
  },
  "run.finished": {
    doc: "The run is over; the last event.",
    fields: {
      ending: ["text", "`complete`, `unverified`, `failure`, `blocked`, `nothing`, `limit`, `login` or `interrupted`"],
      mode: ["text", "at the end: `plan` or `build`"],
      reason: ["text", "why it ended"],
      error: [
        "text?",
        "the kind of the error that broke it off, which decides the exit code (`io`, `busy`, `config`, …); absent: none",
      ],
      help: [
        "list of text?",
        "what to do next: commands if there was nothing to do, text after an error, a refused login or an unpaid bill",
      ],
      elsewhere: ["list of text?", "other scopes that have work, if the workspace has none"],
      limit: ["text?", "the limit it reached: `iterations`, `time`, `cost`, `tokens`, `errors` or `wait`"],
      changes: ["list of change end?", "how each change ended, if the run worked on several at once"],
      left: ["work left", "counts of tasks"],
      waiting: ["list of waiting task", "tasks that wait for an answer"],
      failed: ["list of failed task", ""],
      blocked: ["list of blocked task", "tasks that others block, and which"],
      outside: ["list of outside task?", "blocking tasks in other scopes"],
      iterations: ["number", ""],
      verified: ["number", "tasks that the run verified"],
      proven: ["number?", "of these, those that are proven; the others are unbroken"],
      isOnLane: ["true, false?", "gates ran on the files of the lane as they lay, not in the room"],
      unverified: ["number", "tasks that the run did, and that a person should look at"],
      done: ["done tasks?", "all done tasks that the run is about, by strength; absent while some are open"],
      look: ["list of task to look at?", "the first done tasks that keep the run from being complete"],
      together: ["list of task claimed together?", "the first tasks that were claimed together with another one"],
      dropped: ["number", "dropped tasks"],
      droppedTasks: ["list of dropped task", "the first ones"],
      commits: ["number", "commits that the run added to the landing ref"],
      othersReady: ["number?", "ready tasks of the scope that the run was not about"],
      unfinished: [
        "list of unfinished work?",
        "unproven work of open tasks, kept for their next attempt; absent: none",
      ],
      notFollowing: ["text?", "why your branch does not have all that landed, and the remedy; absent: it has"],
      followBy: ["list of text?", "the lines to type so that your branch has all that landed; absent: it has"],
      costUsd: ["number?", "absent: unknown"],
      isCostPartial: ["true, false?", "true: the cost of some sessions is unknown, so this is a minimum"],
      isCostEstimated: ["true, false?", "true: some of it is an estimate"],
      tokens: ["number", ""],
      durationMs: ["number", ""],
    },
  },
};
