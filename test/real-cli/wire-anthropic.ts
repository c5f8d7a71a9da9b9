import { namedEvent, newId, pieces, type Step, TOKENS, type Wire } from "./wire.ts";

/** Anthropic's Messages. */
export const anthropic: Wire = (step, model) => {
  const { tokens = TOKENS } = step;
  const usage = { input_tokens: tokens.input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: newId("msg_"), type: "message", role: "assistant", model, stop_sequence: null };
  const blocks = blocksOf(step);
  const stop_reason = step.isTooLong === true ? "max_tokens" : step.tools === undefined ? "end_turn" : "tool_use";
  return {
    stream: [
      namedEvent({
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      }),
      ...blocks.flatMap(({ empty, deltas }, index) => [
        namedEvent({ type: "content_block_start", index, content_block: empty }),
        ...deltas.map((delta) => namedEvent({ type: "content_block_delta", index, delta })),
        namedEvent({ type: "content_block_stop", index }),
      ]),
      namedEvent({
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { ...usage, output_tokens: tokens.output },
      }),
      namedEvent({ type: "message_stop" }),
    ],
    whole: {
      ...message,
      content: blocks.map(({ whole }) => whole),
      stop_reason,
      usage: { ...usage, output_tokens: tokens.output },
    },
  };
};

function blocksOf({ text, tools = [] }: Step) {
  const said = text === undefined ? [] : [textBlock(text)];
  return [
    ...said,
    ...tools.map(({ name, input }) => toolBlock({ type: "tool_use", id: newId("toolu_"), name, input })),
  ];
}

const textBlock = (text: string) => ({
  empty: { type: "text", text: "" } as object,
  deltas: pieces(text).map((piece): object => ({ type: "text_delta", text: piece })),
  whole: { type: "text", text } as object,
});

const toolBlock = (whole: {
  readonly input: object;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}) => ({
  empty: { ...whole, input: {} } as object,
  deltas: pieces(JSON.stringify(whole.input)).map((piece): object => ({
    type: "input_json_delta",
    partial_json: piece,
  })),
  whole: whole as object,
});
