import { dataEvent, newId, pieces, TOKENS, type Wire } from "./wire.ts";

/** Google's Gemini. */
export const gemini: Wire = ({ text, tools = [], tokens = TOKENS, isTooLong }, model) => {
  const usageMetadata = {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
    totalTokenCount: tokens.input + tokens.output,
  };
  const finishReason = isTooLong === true ? "MAX_TOKENS" : "STOP";
  const responseId = newId("r");
  const calls = tools.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: "c2ln" }));
  const answer = (parts: readonly object[], more: object = {}): object => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: model,
    responseId,
    usageMetadata,
  });
  const said = text === undefined ? [] : pieces(text).map((piece) => ({ text: piece }));
  return {
    stream: [
      ...[...said, ...calls].map((part) => dataEvent(answer([part]))),
      dataEvent(answer([{ text: "" }], { finishReason })),
    ],
    whole: answer([...(text === undefined ? [] : [{ text }]), ...calls], { finishReason }),
  };
};
