const KEY = "ralphctl-token";

/** `#token=TOKEN`, and behind it the place to open: `#token=TOKEN/needs`. */
const FRAGMENT = /^#token=([^/]+)(?:\/(.*))?$/;

export interface Arrival {
  readonly token: string;
  /** What stays in the address bar; undefined: it brought no token. */
  readonly hash: string | undefined;
}

/** What the address brings; `kept`: the token that this tab has already. */
export function arrival(hash: string, kept: string | null): Arrival {
  const match = FRAGMENT.exec(hash);
  if (match === null) return { token: kept ?? "", hash: undefined };
  return { token: match[1]!, hash: `#/${match[2] ?? ""}` };
}

/** U-03: the token comes once, in the fragment. It stays in this tab, and out of the address bar and the history. */
export function takeToken(): string {
  const { token, hash } = arrival(location.hash, sessionStorage.getItem(KEY));
  if (hash === undefined) return token;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", hash);
  return token;
}
