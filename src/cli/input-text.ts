import { RalphError } from "../domain/error.ts";

/** All of an input as text; an error if it is not UTF-8. */
export async function inputText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new RalphError("data", "Standard input is not valid UTF-8", { hint: "Send UTF-8 text", cause });
  }
}
