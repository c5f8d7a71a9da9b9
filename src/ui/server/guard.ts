import { createHash, timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../../app/page/serve.ts";
import { API, TOKEN_HEADER } from "../api.ts";

/** Why a request is not answered. */
interface RefusedRequest {
  readonly status: 401 | 403;
  readonly error: string;
  readonly hint: string;
}

const HOSTS = ["localhost", "127.0.0.1", "[::1]"] as const;

/**
 * U-02, U-03: who may ask. A page of another site reaches this machine by its own name (rebinding), by a link, or by a
 * request with an origin of its own; a program of another user lacks the token.
 */
export function refusalOf(
  request: Pick<HttpRequest, "header" | "target">,
  { port, token }: { readonly port: number; readonly token: string },
): RefusedRequest | undefined {
  const [host, ...more] = request.header("host");
  if (host === undefined || more.length > 0 || !HOSTS.some((name) => isHost(host, name, port))) return FOREIGN_HOST;
  if (!request.header("origin").every((origin) => origin === `http://${host}`)) return FOREIGN_SITE;
  if (!request.header("sec-fetch-site").every((site) => site === "same-origin" || site === "none")) return FOREIGN_SITE;
  const { target } = request;
  if (!target.startsWith(`${API}/`) && target !== API) return undefined;
  const [sent, ...others] = request.header(TOKEN_HEADER);
  return sent !== undefined && others.length === 0 && isSame(sent, token) ? undefined : NO_TOKEN;
}

/** A browser leaves out port 80. */
const isHost = (host: string, name: string, port: number): boolean =>
  host.toLowerCase() === `${name}:${port}` || (port === 80 && host.toLowerCase() === name);

/** In constant time, whatever the lengths. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other));

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

const FOREIGN_HOST: RefusedRequest = {
  status: 403,
  error: "This address is not the page's own",
  hint: "Type ralphctl ui --url, and open the address that it prints",
};

const FOREIGN_SITE: RefusedRequest = {
  status: 403,
  error: "Another site has sent you or your browser here",
  hint: "Type ralphctl ui --url, and put the address that it prints into the address bar of a new tab",
};

const NO_TOKEN: RefusedRequest = {
  status: 401,
  error: "The token is missing, wrong or old: each start of the page has another",
  hint: "Type ralphctl ui --url, and open the address that it prints",
};
