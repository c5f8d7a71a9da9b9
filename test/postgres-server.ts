import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/system/postgres.ts";

/** The folder with PostgreSQL's programs; undefined if it is not installed. */
export const postgresPrograms = findPrograms();

function findPrograms(): string | undefined {
  const installed = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const newest = installed.sort((a, b) => Number(b) - Number(a)).map((version) => `/usr/lib/postgresql/${version}/bin`);
  const onPath = (process.env["PATH"] ?? "").split(delimiter);
  return [...newest, ...onPath].find((folder) => existsSync(join(folder, "initdb")));
}

/** Statements of somebody who may do everything there. */
export async function onDatabase(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const pool = await openPostgres(url, { connections: 1 });
  try {
    return (await pool.query(sql)).rows;
  } finally {
    await pool.end();
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user of its package, or as nobody. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string): number | undefined => {
    const { status, stdout } = spawnSync("id", [flag, user], { encoding: "utf8" });
    return status === 0 ? Number(stdout) : undefined;
  };
  const user = ["postgres", "nobody"].find((name) => idOf("-u", name) !== undefined)!;
  return { uid: idOf("-u", user)!, gid: idOf("-g", user)! };
}

const SETTINGS = {
  listen_addresses: "",
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "32MB",
  // Deadlocks are part of some tests, and nobody wants to wait for them.
  deadlock_timeout: "50ms",
};

export interface PostgresServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** Ends all of it at once, as a power cut would, and starts it again. */
  readonly crash: (whileAway?: () => Promise<void>) => Promise<void>;
}

/** Starts a server of its own in a temporary folder, which is gone when it is stopped or this process dies. */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const user = serverUser();
  // The folder for the tests of root is closed to other users.
  const place = user === undefined ? tmpdir() : existsSync("/dev/shm") ? "/dev/shm" : "/tmp";
  const folder = mkdtempSync(join(place, "ralph-pg-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const init = ["-D", data, "-U", "ralph", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8"];
  const made = spawnSync(join(postgresPrograms!, "initdb"), init, { ...options, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const settings = Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const args = [join(postgresPrograms!, "postgres"), "-D", data, "-k", folder, ...settings];
  // The shell ends the server, and removes its folder, when its input ends: also if the tests are killed. A line kills it, and
  // the next starts it again: only its parent can bury a dead one, whose number PostgreSQL takes for a server that runs.
  const begin = '"$@" < /dev/null & server=$!';
  const again = `kill -KILL $server; wait $server; read -r _; ${begin}`;
  const script = `${begin}; while read -r _; do ${again}; done; kill -INT $server; wait $server; rm -rf "$0"`;
  const shell = spawn("sh", ["-c", script, folder, ...args], { ...options, stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  shell.stderr.on("data", (text) => (said += String(text)));
  const ended = new Promise<void>((resolve) => void shell.on("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    shell.stdin.end();
    await ended;
  };
  const url = `postgres://ralph@localhost/postgres?host=${encodeURIComponent(folder)}`;
  try {
    await answering(url, () => said);
  } catch (error) {
    await stop();
    throw error;
  }
  const serverNow = (): string | undefined => {
    const file = join(data, "postmaster.pid");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n")[0] : undefined;
  };
  const crash: PostgresServer["crash"] = async (whileAway) => {
    const dead = serverNow()!;
    shell.stdin.write("end\n");
    while (existsSync(`/proc/${dead}`)) await pause(20);
    await whileAway?.();
    for (;;) {
      shell.stdin.write("begin\n");
      // While processes of the dead one still end, no other starts.
      for (let tries = 0; tries < 200; tries++) {
        if (![dead, undefined].includes(serverNow())) return await answering(url, () => said);
        await pause(50);
      }
      shell.stdin.write("end\n");
    }
  };
  return { url, stop, crash };
}

async function answering(url: string, said: () => string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await onDatabase(url, "SELECT 1");
      return;
    } catch (error) {
      if (tries === 600) throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
    }
    await pause(100);
  }
}
