import { effect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { isKnown } from "./client.ts";
import type { NeedData, StatusData } from "./data.ts";
import { LoadedGraph, LoadedTask } from "./graph-and-task.tsx";
import { Help } from "./help.tsx";
import { isHelpOpen } from "./keys.ts";
import { changes, live } from "./live.ts";
import { refreshAll, useLoaded } from "./loaded.ts";
import { needs } from "./notify.tsx";
import { NeedsPlace } from "./needs-place.tsx";
import { NowPlace } from "./now-place.tsx";
import { hrefOf, type PagePlace, route } from "./route.ts";
import { RunPlace } from "./run-place.tsx";
import { RunsPlace } from "./runs-place.tsx";
import { chooseRun, connection, reconnect } from "./stream.ts";
import { Until } from "./time.tsx";
import { Toast } from "./toast.tsx";

effect(() => {
  if (changes.value > 0) refreshAll();
});

export function Shell() {
  if (!isKnown.value) return <Stranger />;
  return <Known />;
}

function Known() {
  const waiting = useLoaded<readonly NeedData[]>("/needs").value;
  const status = useLoaded<StatusData>("/status").value;
  useEffect(() => {
    needs.value = waiting;
  }, [waiting]);
  const { place, id } = route.value;
  // Before the place is seen: later, it would take the focus from where a quick person has put it.
  useLayoutEffect(() => {
    chooseRun(place === "now" ? id : "");
    const main = document.querySelector("main");
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place, id]);
  return (
    <div class="page">
      <nav class="nav" aria-label="Places">
        <p class="brand">{status === undefined ? "ralphctl" : nameOf(status.folder)}</p>
        <ul>
          {PLACES.map(([to, name]) => (
            <li key={to}>
              <a href={hrefOf(to)} aria-current={isIn(to, place) ? "page" : undefined}>
                {name}
                {to === "needs" && (waiting?.length ?? 0) > 0 && (
                  <span class="badge">
                    {waiting!.length}
                    <span class="hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
        <Connection />
        <button type="button" class="plain keys-button" onClick={() => (isHelpOpen.value = true)}>
          <kbd>?</kbd> Keys
        </button>
      </nav>
      <main tabIndex={-1}>
        <Offline />
        {PARTS[place](id)}
      </main>
      <Announcer />
      <Toast />
      <Help />
    </div>
  );
}

const PLACES: readonly (readonly [PagePlace, string])[] = [
  ["now", "Now"],
  ["needs", "Needs you"],
  ["graph", "Graph"],
  ["runs", "Runs"],
];

/** A task is a part of the graph. */
const isIn = (to: PagePlace, place: PagePlace): boolean => to === place || (to === "graph" && place === "task");

export const nameOf = (folder: string): string => folder.split(/[\\/]/).findLast((part) => part !== "") ?? "";

const PARTS: Readonly<Record<PagePlace, (id: string) => VNode>> = {
  now: () => <NowPlace />,
  needs: () => <NeedsPlace />,
  graph: () => <LoadedGraph />,
  task: (id) => <LoadedTask key={id} id={id} />,
  runs: (id) => (id === "" ? <RunsPlace /> : <RunPlace run={id} />),
};

const STATES = { connecting: "connecting…", live: "live", resting: "resting", offline: "offline" } as const;

const Connection = () => (
  <p class={`connection ${connection.value.kind}`}>
    <span class="hidden">Connection: </span>
    {STATES[connection.value.kind]}
  </p>
);

/** U-07: in words, with what to do. What is shown stays. */
function Offline() {
  const now = connection.value;
  if (now.kind !== "offline") return null;
  return (
    <div class="banner bad" role="alert">
      <p>
        The server does not answer. Runs go on without it; what you see may be old. If it was stopped, start it again:{" "}
        <code>ralphctl ui</code>
      </p>
      <button type="button" onClick={reconnect}>
        Try now (by itself in <Until at={now.retryAtMs} />)
      </button>
    </div>
  );
}

/** U-03: no token, a wrong or an old one. */
const Stranger = () => (
  <main class="stranger">
    <h1>This page does not know you</h1>
    <p>
      Every start of the server has a new key, which only its own link carries. This one is missing or old. In a
      terminal in the repository, type:
    </p>
    <pre>ralphctl ui --url</pre>
    <p>It prints the link of the server that runs, or type this to start one:</p>
    <pre>ralphctl ui</pre>
  </main>
);

/** What happened, for those who hear the page. */
function Announcer() {
  const landed = live.value?.record.landed.at(-1);
  const count = needs.value?.length ?? 0;
  return (
    <p class="hidden" role="status">
      {landed !== undefined && `Landed: ${landed.task.title}. `}
      {count > 0 && `${count} waiting for you.`}
    </p>
  );
}
