import { RalphError } from "../domain/error.ts";

/** The part of `pg` that we use. */
export interface PgSession {
  query(text: string, values?: readonly PgValue[]): Promise<PgResult>;
}

export interface PgClient extends PgSession {
  /** Gives it back to the pool; with an error it is closed instead. */
  release(error?: unknown): void;
}

export interface PgPool extends PgSession {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
}

export type PgValue = string | number | null | readonly (string | number | null)[];
export type PgRow = Readonly<Record<string, string | number | null>>;

export interface PgResult {
  readonly rows: readonly PgRow[];
  readonly rowCount: number | null;
}

/** A connection of its own, as messages come to the one that asked for them. */
interface PgListener extends PgSession {
  connect(): Promise<void>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): void;
  on(event: "error" | "end", listener: () => void): void;
}

interface PgModule {
  readonly Client: new (options: object) => PgListener;
  readonly Pool: new (options: object) => PgPool & { on(event: "error", listener: (error: Error) => void): void };
  readonly types: { getTypeParser(type: number, format?: string): (value: string) => unknown };
}

const INT8 = 20;

/** Connects when it is first asked something. Numbers of 64 bits are numbers: ours stay below 2^53. */
export async function openPostgres(url: string, { connections }: { readonly connections: number }): Promise<PgPool> {
  const { Pool, types } = await loadModule();
  const getTypeParser = (type: number, format?: string): ((value: string) => unknown) =>
    type === INT8 ? Number : types.getTypeParser(type, format);
  const pool = new Pool({
    connectionString: withStrictTls(url),
    max: connections,
    connectionTimeoutMillis: 20_000,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: "ralphctl",
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced by the next question, which says so if it cannot be.
  pool.on("error", () => {});
  return pool;
}

/** As `pg` means these today; it warns of each that another version may check less. */
const withStrictTls = (url: string): string =>
  url.includes("uselibpqcompat=")
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

export interface Listening {
  readonly close: () => Promise<void>;
}

/** Asks for the messages of a channel. `onLost` is called once if the connection breaks, and not after `close`. */
export async function listenTo(
  url: string,
  channel: string,
  { onMessage, onLost }: { readonly onMessage: (text: string) => void; readonly onLost: () => void },
): Promise<Listening> {
  const { Client } = await loadModule();
  const client = new Client({
    connectionString: withStrictTls(url),
    connectionTimeoutMillis: 20_000,
    keepAlive: true,
    application_name: "ralphctl, listening",
  });
  let isOver = false;
  const lose = (): void => {
    if (!isOver) onLost();
    isOver = true;
  };
  client.on("notification", ({ payload = "" }) => onMessage(payload));
  client.on("error", lose);
  client.on("end", lose);
  const close = async (): Promise<void> => {
    isOver = true;
    await client.end();
  };
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return { close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/**
 * `pg` reads ~/.pgpass, and warns on the terminal, in the middle of a view, that its next version will not. The name of
 * the function says whether it is there already.
 */
function leaveOutPassfileWarning(): void {
  if (process.emitWarning.name === "emitOtherWarning") return;
  const emitWarning = process.emitWarning.bind(process) as (...told: unknown[]) => void;
  process.emitWarning = function emitOtherWarning(...told: unknown[]): void {
    if (!String(told[0]).startsWith("pgpass support is deprecated")) emitWarning(...told);
  };
}

async function loadModule(): Promise<PgModule> {
  leaveOutPassfileWarning();
  try {
    // @ts-expect-error: its types are another package; those above are all that we need
    const { default: module }: { readonly default: PgModule } = await import("pg");
    return module;
  } catch (cause) {
    throw new RalphError("unavailable", "The package that speaks with PostgreSQL is not installed", {
      hint: "Install it beside ralphctl, as only a fleet needs it: npm install --global pg",
      cause,
    });
  }
}
