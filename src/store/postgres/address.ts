import { RalphError } from "../../domain/error.ts";

const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** Refuses what is no address of a PostgreSQL, without repeating it: it may hold a password. */
export function checkAddress(url: string): void {
  const isOne = /^postgres(?:ql)?:\/\//i.test(url) && URL.canParse(url);
  if (!isOne || new URL(url).pathname.length <= 1) {
    throw new RalphError("usage", "This is no address of a database in PostgreSQL", {
      hint: "Write it as postgres://USER@HOST/DATABASE, with %23 for # and the like in a password, or @FILE for a file that holds it",
    });
  }
  const mode = new URL(url).searchParams.get("sslmode");
  if (mode === null || TLS_MODES.includes(mode)) return;
  throw new RalphError("usage", "The address has an sslmode that is not known", {
    hint: `Use one of ${TLS_MODES.join(", ")}`,
  });
}

/** An address as it may be shown: host, port and database, and nothing that logs in. */
export function safeName(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get("host") ?? (host || "localhost")}${pathname}`;
}

/** The same address without what is secret in it, for others to complete from ~/.pgpass. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = "";
  shown.searchParams.delete("password");
  return shown.href;
}
