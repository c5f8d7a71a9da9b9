import { dataEvent, newId, pieces, TOKENS, type Wire } from "./wire.ts";

/** OpenAI's Chat Completions, which most servers of other makers speak. */
export const chat: Wire = ({ text, tools = [], tokens = TOKENS, isTooLong }, model) => {
  const base = { id: newId("chatcmpl-"), created: Math.floor(Date.now() / 1000), model };
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  };
  const finish_reason = isTooLong === true ? "length" : tools.length === 0 ? "stop" : "tool_calls";
  const calls = tools.map(({ name, input }) => ({
    id: newId("call_"),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const deltas: object[] = [
    { role: "assistant", content: "" },
    ...(text === undefined ? [] : pieces(text).map((content) => ({ content }))),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ ...call, index, function: { ...call.function, arguments: "" } }] },
      ...pieces(call.function.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
  const chunk = (choices: readonly object[], more: object = {}): string =>
    dataEvent({ ...base, object: "chat.completion.chunk", choices, ...more });
  const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    stream: [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      "data: [DONE]\n\n",
    ],
    whole: { ...base, object: "chat.completion", choices: [{ index: 0, finish_reason, message }], usage },
  };
};
