import { signal } from "@preact/signals";
import { takeToken } from "./token.ts";

/** An answer that is not the one hoped for, as a sentence and what to do. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string;
  constructor(status: number, message: string, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Whether it may go well when it is asked for again: the server is away, or busy. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 409 || error.status >= 500);

let token = "";

/** U-03: false: there is no token, or the server does not know it. */
export const isKnown = signal(true);

/** Takes the token from the address, at the start and whenever a link of a newer server is followed. */
export function arrive(): void {
  token = takeToken();
  isKnown.value = token !== "";
}

/** Asks the server. Rejects with an ApiError whatever goes wrong. */
export async function ask(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  const all = { "x-ralphctl-token": token, ...(headers as Readonly<Record<string, string>> | undefined) };
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}`, { ...init, headers: all, cache: "no-store" });
  } catch {
    throw new ApiError(0, "The server does not answer.", "Start it again: ralphctl ui");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) isKnown.value = false;
  const { error, hint } = await wordsOf(answer);
  throw new ApiError(answer.status, error ?? `The server answers ${answer.status}.`, hint ?? "");
}

async function wordsOf(answer: Response): Promise<{ readonly error?: string; readonly hint?: string }> {
  try {
    return ((await answer.json()) as { readonly error?: string; readonly hint?: string } | null) ?? {};
  } catch {
    return {};
  }
}

export const getText = async (path: string): Promise<string> => await (await ask(path)).text();

/** U-04: one of the verbs of the API; resolves with the server's sentence about it. */
export async function act(verb: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const headers = { "content-type": "application/json" };
  const answer = await ask(`/do/${verb}`, { method: "POST", headers, body: JSON.stringify(body) });
  return ((await answer.json()) as { readonly said: string }).said;
}
