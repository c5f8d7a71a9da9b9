import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { openIterations, type RunRecord } from "../../domain/run/run-record.ts";
import { isProving } from "../../domain/run/iteration-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import { underWay } from "../../format/run-text.ts";
import { actAndSay } from "./act.ts";
import { Ask } from "./dialog.tsx";
import { withKeys } from "./keys.ts";
import type { LiveRun } from "./live.ts";

/** The question in front of the page. */
const asking = signal<"stop" | "context" | undefined>(undefined);

const close = (): void => {
  asking.value = undefined;
};

const isHeld = ({ summary }: RunRecord): boolean => summary.waiting !== undefined || summary.asked.pause;

const send = (verb: "pause" | "resume" | "stop-after" | "stop", run: string): Promise<boolean> =>
  actAndSay(verb, { run });

export function RunControls({ live: { run, record } }: { readonly live: LiveRun }) {
  const { asked } = record.summary;
  const after = underWay(hasLanes(record.summary));
  useLayoutEffect(() =>
    withKeys({
      p: () => void send(isHeld(record) ? "resume" : "pause", run),
      s: () => void send("stop-after", run),
      S: () => {
        asking.value = "stop";
      },
    }),
  );
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={() => void send(isHeld(record) ? "resume" : "pause", run)}>
          {isHeld(record) ? "Continue" : "Pause"}
        </button>
        {!asked.stop && (
          <button type="button" title={`Ends the run after ${after}`} onClick={() => void send("stop-after", run)}>
            Stop after this
          </button>
        )}
        <button type="button" class="danger" onClick={() => (asking.value = "stop")}>
          Stop now…
        </button>
        <TellAgents />
      </div>
      {asked.stop && <p class="warn">Stops after {after}.</p>}
      {asked.pause && record.summary.waiting?.for !== "pause" && <p class="warn">Pauses after {after}.</p>}
      {asking.value === "stop" && (
        <Ask
          title="Stop the run now?"
          text={
            openIterations(record).some(isProving)
              ? "A proof that is under way is finished. Agents are stopped; their unproven work is kept for the next attempt."
              : "Agents are stopped; their unproven work is kept for the next attempt."
          }
          yes="Stop now"
          isDangerous
          onYes={async () => await send("stop", run)}
          onClose={close}
        />
      )}
    </>
  );
}

/** A note of the person's for the agents of all further iterations. */
export function TellAgents() {
  useLayoutEffect(() =>
    withKeys({
      c: () => {
        asking.value = "context";
      },
    }),
  );
  return (
    <>
      <button type="button" onClick={() => (asking.value = "context")}>
        Tell the agents…
      </button>
      {asking.value === "context" && (
        <Ask
          title="Tell the agents"
          text="Every iteration that begins after this reads it."
          label="Your words"
          isTextNeeded
          yes="Add it"
          onYes={async (text) => await actAndSay("context", { text })}
          onClose={close}
        />
      )}
    </>
  );
}
