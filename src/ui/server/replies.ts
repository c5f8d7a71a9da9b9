import type { HttpReply } from "../../app/page/serve.ts";
import { type ErrorKind, RalphError } from "../../domain/error.ts";
import type { ApiProblem } from "../api.ts";

/** U-06: nothing but our own files, nothing inline, no frame around it, and no word to other sites. */
export const SAFE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "no-store",
} as const;

export const reply = (status: number, type: string, body: HttpReply["body"]): HttpReply => ({
  status,
  headers: { ...SAFE_HEADERS, "content-type": type },
  body,
});

/** JSON, whatever is in it: a browser never takes it for a page. */
export const jsonReply = (value: unknown, status = 200): HttpReply =>
  reply(status, "application/json; charset=utf-8", JSON.stringify(value));

export const failure = (status: number, error: string, hint?: string): HttpReply =>
  jsonReply({ error, hint: hint ?? null } satisfies ApiProblem, status);

export const withHeaders = (made: HttpReply, more: HttpReply["headers"]): HttpReply => ({
  ...made,
  headers: { ...made.headers, ...more },
});

const STATUS: Readonly<Partial<Record<ErrorKind, number>>> = { usage: 422, busy: 409, interrupted: 409 };

/** An error that a person can fix; others are bugs, and thrown on. */
export function errorReply(error: unknown): HttpReply {
  if (!(error instanceof RalphError)) throw error;
  const isUnknown =
    error.about?.kind === "no such task" ||
    /^(?:Unknown (?:run|task)|Run \S+ has no iteration |The iteration has no such gate)/.test(error.message);
  return failure(isUnknown ? 404 : (STATUS[error.kind] ?? 500), error.message, error.hint);
}
