import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AgentEvent } from "../../domain/agent-event.ts";
import { Talk, talkItems } from "../parts/talk.tsx";
import { waitBefore } from "./back-off.ts";
import { mayPass } from "./client.ts";
import { MOST_LINES, Waiting } from "./fetched-text.tsx";
import type { TaskApi } from "./task-api.ts";
import { Windowed } from "./windowed.tsx";

interface TranscriptProps {
  /** Of the attempt. */
  readonly number: number;
  readonly path: string;
  readonly run: string;
  readonly iteration: number;
  readonly isLive: boolean;
  readonly api: TaskApi;
}

/** How often a living session is asked for news: it may say a hundred things a second. */
const NEWS_MS = 400;

/** What the agent said, as it comes: each event is a reason to ask for those after the last one that is here. */
function useTalk({ path, run, iteration, isLive, api }: TranscriptProps) {
  const [events, setEvents] = useState<readonly AgentEvent[] | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const known = useRef<readonly AgentEvent[]>([]);
  useEffect(() => {
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isBusy = false;
    let tries = 0;
    const load = async (): Promise<void> => {
      timer = undefined;
      isBusy = true;
      try {
        let more: AgentEvent[];
        do {
          const window = `from=${known.current.length + 1}&lines=${MOST_LINES}`;
          more = JSON.parse(await api.text(`${path}/transcript?${window}`)) as AgentEvent[];
          known.current = [...known.current, ...more];
        } while (more.length === MOST_LINES);
        if (isWanted) setEvents(known.current);
        if (isWanted) setProblem("");
        tries = 0;
      } catch (error) {
        if (isWanted) setProblem(error instanceof Error ? error.message : String(error));
        if (isWanted && mayPass(error)) timer ??= setTimeout(() => void load(), waitBefore(tries++, Math.random()));
      }
      isBusy = false;
    };
    /** Later, if an answer is still awaited: what came meanwhile is asked for after it. */
    const loadSoon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        if (isBusy) loadSoon();
        else void load();
      }, NEWS_MS);
    };
    void load();
    const stop = isLive ? api.subscribe(run, iteration, loadSoon) : undefined;
    return () => {
      isWanted = false;
      clearTimeout(timer);
      stop?.();
    };
  }, [path, isLive]);
  return { events, problem };
}

/** What the agent said and did. */
export function Transcript(props: TranscriptProps) {
  const { isLive } = props;
  const { events, problem } = useTalk(props);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const items = useMemo(() => talkItems(events ?? []), [events]);
  if (events === undefined) return <Waiting problem={problem} />;
  if (items.length === 0)
    return <p class="faint">{isLive ? "The agent has said nothing yet." : "It is not kept any more."}</p>;
  // The browser tells of what we have folded ourselves, too: only a change is one.
  const fold = (index: number, isOpen: boolean): void => {
    if (isOpen === open.has(index)) return;
    const changed = new Set(open);
    if (isOpen) changed.add(index);
    else changed.delete(index);
    setOpen(changed);
  };
  return (
    <>
      {problem !== "" && <Waiting problem={problem} />}
      <Windowed
        label={`What the agent said and did in attempt ${props.number}`}
        count={items.length}
        estimate={(index) => ("text" in items[index]! ? 28 + 22 * Math.ceil(items[index].text.length / 90) : 34)}
        item={(index) => (
          <div key={index}>
            <Talk item={items[index]!} isOpen={open.has(index)} onFold={(isOpen) => fold(index, isOpen)} />
          </div>
        )}
        isGrowing={isLive}
      />
    </>
  );
}
