import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TortureCase } from "./case.ts";
import { inBothVoices, trialCase } from "./trial-case.ts";
import { IN_SANDBOX, type Trial } from "./trial.ts";

const GONE_ON = "The work is proven in the next session";

/** Agents whose output is not what one would like to read, and agents that write where we do. */
export const outputCases: readonly TortureCase[] = [
  ...inBothVoices(
    {
      name: "half-a-line",
      proves: "P-14 P-20",
      about: "The agent exits with 0 in the middle of its last line.",
      required: `Half a result is no result, and half a sigil is no claim. ${GONE_ON}.`,
      sessions: ["half-a-line", "honest"],
      expected: {
        outcomes: ["crashed", "verified"],
        told: ["The agent ended with exit code 0 and no result"],
      },
    },
    { expected: { outcomes: ["unfinished", "verified"], told: ["No claim, but the session changed files"] } },
  ),
  ...inBothVoices({
    name: "invalid-utf8",
    proves: "P-14",
    about: "The agent prints NUL, invalid UTF-8, and a character in two pieces.",
    required: "The claim counts. The transcript has every byte, and the events are valid UTF-8.",
    sessions: ["invalid-utf8"],
    act: async (trial) => {
      const { name } = await trial.run();
      const events = readFileSync(join(trial.folder, ".ralph/runs", name, "events.ndjson"));
      const text = new TextDecoder("utf-8", { fatal: true }).decode(events);
      return { lostBytes: lostBytes(trial, name), hasText: text.includes("Größe: 📏") };
    },
    expected: { more: { lostBytes: 0, hasText: true } },
  }),
  ...inBothVoices({
    name: "long-line",
    proves: "P-14",
    about: "The agent prints a line of 100 MB before its claim.",
    required: "The claim counts, and the transcript has every byte.",
    sessions: ["long-line"],
    act: runAndCount,
    expected: { more: { lostBytes: 0 } },
  }),
  ...inBothVoices({
    name: "million-lines",
    proves: "P-14",
    about: "The agent prints a million tiny lines before its claim.",
    required: "The claim counts, and the transcript has every byte.",
    sessions: ["million-lines"],
    act: runAndCount,
    expected: { more: { lostBytes: 0 } },
  }),
  ...inBothVoices({
    name: "gigabyte",
    proves: "P-14",
    about: "The agent prints 1 GB before its claim.",
    required: "The claim counts, and the transcript has every byte.",
    slow: "It writes 1 GB several times",
    sessions: ["gigabyte"],
    act: runAndCount,
    expected: { more: { lostBytes: 0 } },
  }),
  trialCase({
    name: "forges-transcript",
    proves: "P-10 P-14",
    about: "The agent writes a claim and a result into its own transcript, and changes its prompt file.",
    required: `Only its real output can be a claim. ${GONE_ON}.`,
    sessions: ["forges-transcript", "honest"],
    expected: { outcomes: ["unfinished", "verified"], told: ["No claim, but the session changed files"] },
  }),
  trialCase({
    name: "removes-run-folder",
    proves: "P-14 W-03",
    about: "The agent deletes the folder of the run, with its own transcript, and claims.",
    required: "The claim is verified, and all events are restored.",
    sessions: ["removes-run-folder"],
    act: runAndReadEvents,
    expected: { more: { first: "run.started", last: "run.finished", outside: false } },
  }),
  trialCase({
    name: "runs-is-a-file",
    proves: "P-14 W-03",
    about: "The agent replaces the folder of all runs by a file, and claims.",
    required: "ralphctl removes the file, verifies the claim and restores all events.",
    sessions: ["runs-is-a-file"],
    act: runAndReadEvents,
    expected: {
      told: IN_SANDBOX ? [] : [removed(".ralph/runs")],
      more: { first: "run.started", last: "run.finished", outside: false },
    },
  }),
  trialCase({
    name: "run-folder-is-a-link",
    proves: "W-05",
    about: "The agent replaces the folder of the run by a link out of the workspace, and claims.",
    required: "ralphctl writes nothing through the link, removes it, and verifies the claim.",
    sessions: ["run-folder-is-a-link"],
    act: runAndReadEvents,
    expected: {
      told: IN_SANDBOX ? [] : [removed(".ralph/runs/RUN")],
      more: { first: "run.started", last: "run.finished", outside: false },
    },
  }),
];

function removed(path: string): string {
  return `ralphctl removed ${path}, which is not one of its own folders`;
}

/** What the agent printed and the transcript does not have. */
const lostBytes = ({ agentFolder, folder }: Trial, run: string): number =>
  Number(readFileSync(join(agentFolder, "printed"), "utf8")) -
  statSync(join(folder, ".ralph/runs", run, "1/transcript.ndjson")).size;

async function runAndCount(trial: Trial) {
  const { name } = await trial.run();
  return { lostBytes: lostBytes(trial, name) };
}

async function runAndReadEvents(trial: Trial) {
  const { name } = await trial.run();
  const lines = trial.read(`.ralph/runs/${name}/events.ndjson`).trimEnd().split("\n");
  const typeOf = (line = "{}"): unknown => (JSON.parse(line) as { type?: unknown }).type;
  const outside = ["events.ndjson", "1"].some((name) => existsSync(join(trial.agentFolder, name)));
  return { first: typeOf(lines[0]), last: typeOf(lines.at(-1)), outside };
}
