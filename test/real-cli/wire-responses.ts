import { namedEvent, newId, pieces, type Step, TOKENS, type ToolCall, type Wire, type WireEvent } from "./wire.ts";

/** OpenAI's Responses. */
export const responses: Wire = (step, model) => {
  const { tokens = TOKENS } = step;
  const base = {
    id: newId("resp_"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    model,
    parallel_tool_calls: true,
    error: null,
    incomplete_details: null,
  };
  const items = itemsOf(step);
  const usage = {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  };
  const output = items.map(({ item }) => item);
  const isWhole = step.isTooLong !== true;
  const end = isWhole
    ? { status: "completed" }
    : { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  const whole = { ...base, ...end, output, usage };
  const events: WireEvent[] = [
    { type: "response.created", response: { ...base, status: "in_progress", output: [], usage: null } },
    ...items.flatMap(itemEvents),
    { type: isWhole ? "response.completed" : "response.incomplete", response: whole },
  ];
  return { stream: events.map((event, at) => namedEvent({ ...event, sequence_number: at })), whole };
};

function itemEvents({ item, empty, between }: Item, output_index: number): WireEvent[] {
  return [
    { type: "response.output_item.added", output_index, item: empty },
    ...between.map((event) => Object.assign({ item_id: item.id, output_index }, event)),
    { type: "response.output_item.done", output_index, item },
  ];
}

function itemsOf({ text, tools = [] }: Step) {
  return [...(text === undefined ? [] : [messageItem(text)]), ...tools.map(callItem)];
}

interface Item {
  readonly item: { readonly id: string };
  readonly empty: object;
  readonly between: readonly WireEvent[];
}

function messageItem(text: string): Item {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = { id: newId("msg_"), type: "message", status: "completed", role: "assistant", content: [part] };
  return {
    item,
    empty: { ...item, status: "in_progress", content: [] },
    between: [
      { type: "response.content_part.added", content_index: 0, part: { ...part, text: "" } },
      ...pieces(text).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta, logprobs: [] })),
      { type: "response.output_text.done", content_index: 0, text, logprobs: [] },
      { type: "response.content_part.done", content_index: 0, part },
    ],
  };
}

function callItem({ name, input }: ToolCall): Item {
  const text = JSON.stringify(input);
  const call = { type: "function_call", call_id: newId("call_"), name };
  const item = { id: newId("fc_"), ...call, status: "completed", arguments: text };
  return {
    item,
    empty: { ...item, status: "in_progress", arguments: "" },
    between: [
      ...pieces(text).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      { type: "response.function_call_arguments.done", arguments: text },
    ],
  };
}
