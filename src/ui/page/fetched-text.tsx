import { useEffect, useMemo, useState } from "preact/hooks";
import { printable, printableLine } from "../../domain/printable.ts";
import { waitBefore } from "./back-off.ts";
import { mayPass } from "./client.ts";
import type { TaskApi } from "./task-api.ts";
import { Windowed } from "./windowed.tsx";

/** A window of the API has no more lines or events. */
export const MOST_LINES = 20_000;

/** The text at a path; a sentence until it is here, or if it cannot be had. */
export function useText(path: string, api: TaskApi): { readonly text: string | undefined; readonly problem: string } {
  const [state, setState] = useState<{ text: string | undefined; problem: string }>({ text: undefined, problem: "" });
  useEffect(() => {
    let isWanted = true;
    let tries = 0;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        let [text, from, more] = ["", 1, ""];
        do {
          more = await api.text(`${path}?from=${from}&lines=${MOST_LINES}`);
          [text, from] = [text + more, from + MOST_LINES];
        } while (more.split("\n").length > MOST_LINES);
        if (isWanted) setState({ text, problem: "" });
      } catch (error) {
        if (!isWanted) return;
        setState({ text: undefined, problem: error instanceof Error ? error.message : String(error) });
        if (mayPass(error)) retry = setTimeout(() => void load(), waitBefore(tries++, Math.random()));
      }
    };
    void load();
    return () => {
      isWanted = false;
      clearTimeout(retry);
    };
  }, [path]);
  return state;
}

/** Said until something is here, or why it is not. */
export const Waiting = ({ problem }: { problem: string }) =>
  problem === "" ? <p class="faint">Loading…</p> : <p class="bad">{printableLine(problem)}</p>;

/** A text of any length. */
export function Words({ path, api, label }: { path: string; api: TaskApi; label: string }) {
  const { text, problem } = useText(path, api);
  const lines = useMemo(() => text?.replace(/\n$/, "").split("\n") ?? [], [text]);
  if (text === undefined) return <Waiting problem={problem} />;
  if (text.trim() === "") return <p class="faint">It is empty, or not kept any more.</p>;
  return (
    <Windowed
      class="plain-lines"
      label={label}
      count={lines.length}
      estimate={(index) => 20 * Math.max(1, Math.ceil(lines[index]!.length / 110))}
      item={(index) => <div dir="auto">{printable(lines[index]!) || " "}</div>}
    />
  );
}
