import type { AgentEvent } from "../../domain/agent-event.ts";
import { printable, printableLine } from "../../domain/printable.ts";
import { plural, sessionText } from "../../format/run-text.ts";
import { Mark } from "./mark.tsx";
import { Markdown } from "./markdown.tsx";

/** One thing that an agent said or did. `isInner`: of an agent that it started. */
export type TalkItem = { readonly isInner: boolean } & (
  | { readonly kind: "said" | "thought" | "told"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly input: string;
      /** Undefined: it has not ended, or nothing is known of it. */
      readonly result: { readonly ok: boolean; readonly output: string } | undefined;
    }
);

/** Puts pieces of texts together, and results to their tools. */
export function talkItems(events: readonly AgentEvent[]): TalkItem[] {
  const items: TalkItem[] = [];
  const tools = new Map<string, number>();
  let block = "";
  for (const event of events) {
    const isInner = "parent" in event && event.parent !== undefined;
    if (event.type === "agent.text" || event.type === "agent.thinking") {
      const kind = event.type === "agent.text" ? "said" : "thought";
      const last = items.at(-1);
      const own = event.block === undefined ? "" : `${kind} ${event.block}`;
      if (own !== "" && own === block && last !== undefined && "text" in last) {
        items[items.length - 1] = { ...last, text: last.text + event.text };
      } else if (event.text.trim() !== "") items.push({ kind, text: event.text, isInner });
      block = own;
      continue;
    }
    if (event.type === "agent.tool") {
      if (event.id !== undefined) tools.set(event.id, items.length);
      items.push({ kind: "tool", name: event.name, input: event.input, result: undefined, isInner });
    } else if (event.type === "agent.tool-result") {
      const { ok, output } = event;
      const at = tools.get(event.id ?? "") ?? items.findLastIndex(({ kind }) => kind === "tool");
      const tool = items[at];
      if (tool?.kind === "tool" && tool.result === undefined) items[at] = { ...tool, result: { ok, output } };
    } else {
      const text = toldText(event);
      if (text !== undefined) items.push({ kind: "told", text, isInner: false });
    }
    block = "";
  }
  return items;
}

function toldText(event: AgentEvent): string | undefined {
  if (event.type === "agent.notice") return event.text;
  if (event.type === "agent.retry") return `The agent retries its request: ${event.reason}`;
  if (event.type === "agent.refused") return `Sandbox: it may not ${event.access} ${event.path}`;
  return event.type === "agent.ended" ? sessionText(event.outcome) : undefined;
}

interface TalkProps {
  readonly item: TalkItem;
  /** Whether what is folded is shown, and how to change that; undefined: it is left to the browser. */
  readonly isOpen?: boolean;
  readonly onFold?: (isOpen: boolean) => void;
}

/** What an agent said; what it thought and what its tools printed is folded. */
export function Talk({ item, isOpen, onFold }: TalkProps) {
  const place = item.isInner ? " inner" : "";
  const fold = {
    ...(isOpen !== undefined && { open: isOpen }),
    ...(onFold && {
      onToggle: ({ currentTarget }: { currentTarget: HTMLDetailsElement }) => onFold(currentTarget.open),
    }),
  };
  if (item.kind === "said") {
    return (
      <div class={`said${place}`}>
        <Markdown text={item.text} />
      </div>
    );
  }
  if (item.kind === "told") return <p class={`told${place}`}>{printable(item.text)}</p>;
  if (item.kind !== "tool") {
    return (
      <details class={`thought${place}`} {...fold}>
        <summary>Thinking, {plural(item.text.split("\n").length, "line")}</summary>
        <Markdown text={item.text} />
      </details>
    );
  }
  const head = (
    <code dir="ltr">
      {printableLine(item.name)} {printableLine(item.input)}
    </code>
  );
  const { result } = item;
  if (result === undefined || result.output.trim() === "") {
    return (
      <p class={`tool${place}`}>
        {result?.ok === false && <Failed />}
        {head}
      </p>
    );
  }
  return (
    <details class={`tool${place}`} {...fold}>
      <summary>
        {!result.ok && <Failed />}
        {head}
      </summary>
      <pre>{printable(result.output)}</pre>
    </details>
  );
}

const Failed = () => (
  <span class="bad">
    <Mark state="failed" />
    failed{" "}
  </span>
);
