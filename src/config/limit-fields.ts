import { key } from "./described-key.ts";
import * as k from "./kinds.ts";

/** All limits of a run. */
export const limits = {
  iterations: key(
    "Iterations of one run, 0 or `unlimited` for no limit; unset: 3 per task at start, plus 20; 10 for words, a file or a prompt file; 3 in plan mode.",
    k.unset(k.countOrUnlimited),
    null,
  ),
  minIterations: key("First iteration whose claim may end the run.", k.count(1), 1),
  attempts: key("Attempts before a task fails.", k.count(1), 3),
  iterationsPerTask: key(
    "Iterations of one task in total. A task of words, a file or a prompt file has only the limit of its run.",
    k.count(1),
    10,
  ),
  errors: key("Harness errors in a row that end the run.", k.count(1), 5),
  noProgress: key("Iterations without progress before a task is parked.", k.count(1), 3),
  conflicts: key("Times that a task may conflict with work of other lanes, until it works alone.", k.count(0), 2),
  newTasks: key("Tasks that sessions may add in one run; further ones are parked.", k.count(0), 50),
  time: key("Time for one run.", k.unset(k.duration), null),
  cost: key("US dollars for one run.", k.unset(k.money), null),
  tokens: key("Tokens for one run.", k.unset(k.count(1)), null),
  inactivity: key("Time without output before an agent is stopped.", k.duration, "15m"),
  attempt: key("Time for one session.", k.duration, "2h"),
  grace: key("Time for an agent to exit after its last event.", k.duration, "5s"),
  retryPatience: key(
    "Longest wait for a usage limit that an agent names, or whose end it does not.",
    k.duration,
    "60s",
  ),
  gate: key("Time for one gate.", k.duration, "10m"),
  hook: key("Time for one hook.", k.duration, "10m"),
  setup: key("Time to prepare a lane.", k.duration, "10m"),
  wait: key("Time to wait for usage limits until an agent works again; in CI, no wait unless set.", k.duration, "12h"),
  prompt: key("Size of a prompt.", k.size, "1MB"),
  context: key("Size of a scope's context.", k.size, "64KB"),
};
