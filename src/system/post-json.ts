import { timerMs } from "./sleep.ts";
import { codeOf } from "./error-code.ts";

export interface Post {
  readonly url: string;
  readonly body: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A server's answer, or why there is none; `stopped`: we aborted the request. */
export type PostAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "stopped" };

/** Sends JSON to a URL. Redirects are not followed: the user configured only this URL. */
export async function postJson({ url, body, timeoutMs, signal }: Post): Promise<PostAnswer> {
  const timeout = AbortSignal.timeout(timerMs(timeoutMs));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    return { kind: "answered", status: response.status, text: await beginningOf(response) };
  } catch (error) {
    if (signal.aborted) return { kind: "stopped" };
    if (timeout.aborted) return { kind: "failed", why: `no answer within ${timeoutMs / 1000} s` };
    // The client hides the reason in a cause; its own words name nothing.
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    return { kind: "failed", why: `no connection: ${codeOf(cause)}` };
  }
}

/** Enough to see what is wrong. */
const MAX_BYTES = 4096;

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_BYTES) break; // which also ends the connection
  }
  return text.slice(0, MAX_BYTES);
}
