import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../../test/at-end.ts";
import { newDatabase, onDatabase, postgresMissing } from "../../test/postgres.ts";
import { typed } from "../../test/recording-io.ts";
import { git, temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { openPostgresFleet } from "../store/postgres-fleet.ts";
import { openPostgresStore } from "../store/postgres.ts";
import { newTask, request } from "../store/store.contract.ts";

const clone = (): string => temporaryRepository({ "README.md": "# Test\n" });
const fleet = (cwd: string, words: readonly string[], env: Record<string, string> = {}) =>
  typed(["fleet", ...words], { cwd, env });

/** What clients said to these servers. */
let heard = "";

type Bytes = readonly (string | number)[];

/** The address of a server that has these answers to what a client says, one after the other. */
async function answering(...answers: readonly Bytes[]): Promise<string> {
  const server = createServer((socket) => {
    const left = [...answers];
    socket
      .on("error", () => undefined)
      .on("data", (data) => {
        heard += data.toString("latin1");
        const answer = left.shift();
        if (answer === undefined) socket.end();
        else
          socket.write(
            Buffer.concat(answer.map((part) => (typeof part === "string" ? Buffer.from(part) : int32(part)))),
          );
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  return `postgres://ralph@127.0.0.1:${(server.address() as AddressInfo).port}/there`;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const REJECTED = "SFATAL\0C28000\0Mpg_hba.conf rejects connection, no encryption\0\0";

describe("fleet init without a database", () => {
  test("F-09 what keeps it from a server is a sentence, a way out and an exit code", async () => {
    const cwd = clone();
    writeFileSync(join(cwd, "key.pem"), "no key\n");
    const socket = "postgres://ralph:hidden@localhost/there?host=%2Fnone";
    const key = `${cwd}/key.pem`;
    const faults: [url: string, code: number, said: string, hint: string][] = [
      ["postgres://ralph:hid#den@db/there", 64, "no address of a database", "%23 for #"],
      [`${socket}&sslmode=sometimes`, 64, "an sslmode that is not known", "verify-full"],
      [`${socket}&sslmode=verify-full&sslrootcert=/none.pem`, 78, "A file for TLS", "Correct sslrootcert"],
      [
        `${await answering(["S"])}?sslmode=require&sslcert=${key}&sslkey=${key}`,
        78,
        "do not agree about TLS",
        "sslmode=",
      ],
      [`${await answering(["N"])}?sslmode=verify-full`, 78, "do not agree about TLS", "sslmode=disable"],
      [
        await answering(["R", 23, 10, "SCRAM-SHA-256\0\0"], ["R", 9, 11, "r"]),
        77,
        "asks for a password, and there is none",
        "~/.pgpass",
      ],
      [await answering(["E", 4 + REJECTED.length, REJECTED]), 77, "refused the login", "whether the server wants TLS"],
      [await answering(), 69, "cannot be reached", "host and port"],
    ];
    for (const [url, code, said, hint] of faults) {
      const answer = await fleet(cwd, ["init", `\n${url} `], { PGPASSFILE: "/none" });
      expect({ url, ...answer }).toMatchObject({ code, stderr: expect.stringContaining(said) });
      expect(answer.stderr).toContain(hint);
      expect(answer.stderr).not.toMatch(/hidden|hid#den|Warning/);
    }
  });
});

describe.skipIf(postgresMissing !== undefined)("fleet", () => {
  test("F-09 a password may be in a file of PostgreSQL, and nothing warns of that", async () => {
    const cwd = clone();
    const said: string[] = [];
    // It asks for the password in clear text, and then refuses it.
    const url = new URL(await answering(["R", 8, 3], ["E", 4 + REJECTED.length, REJECTED]));
    const file = join(cwd, "passfile");
    writeFileSync(file, `${url.hostname}:${url.port}:*:ralph:from-the-file\n`, { mode: 0o600 });
    vi.stubEnv("PGPASSFILE", file);
    const hear = ({ message }: Error): void => void said.push(message);
    process.on("warning", hear);
    try {
      expect(await fleet(cwd, ["status", url.href])).toMatchObject({ code: 77 });
      expect([heard.includes("from-the-file"), said]).toEqual([true, []]);
    } finally {
      process.off("warning", hear);
      vi.unstubAllEnvs();
    }
  });

  test("F-09 init sets up the database once, says what to type elsewhere, and never shows the password", async () => {
    const [cwd, url] = [clone(), new URL(await newDatabase())];
    url.password = "s3cret-word";
    const first = await fleet(cwd, ["init", url.href]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain("is set up: schema ralphctl, version 2");
    expect(first.stdout).toMatch(/^ {2}export RALPHCTL_FLEET_URL='?postgres:\/\/fleet@localhost\/ralph_test/m);
    expect(first.stdout).toContain("The password is not shown: put it into ~/.pgpass there");
    expect(first.stdout).toMatch(/\n {2}ralphctl worker\n(?:.*\n)+ {2}ralphctl run --fleet\n/);
    expect(first.stderr).toContain("warning: The server has fsync = off");
    const again = await fleet(cwd, ["init"], { RALPHCTL_FLEET_URL: url.href });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("was set up before")]);
    writeFileSync(join(cwd, "address"), `${url.href}\n`);
    chmodSync(join(cwd, "address"), 0o600);
    const status = await fleet(cwd, ["status", "@address"]);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("Tasks       none")]);
    for (const { stdout, stderr } of [first, again, status]) expect(stdout + stderr).not.toContain("s3cret");
  });

  test("F-09 init --print-sql prints statements that set it up by themselves, and asks no database", async () => {
    const { code, stdout } = await fleet(temporaryFolder(), ["init", "--print-sql"]);
    expect(code).toBe(0);
    const [cwd, url] = [clone(), await newDatabase()];
    await onDatabase(url, stdout);
    expect((await fleet(cwd, ["init", url])).stdout).toContain("was set up before");
  });

  test("F-09 status tells tasks by state and what each machine holds, for people and as JSON", async () => {
    const [cwd, url] = [clone(), await newDatabase()];
    await fleet(cwd, ["init", url]);
    const store = await openPostgresStore({ url, repository: git(cwd, "rev-parse", "HEAD").trim() });
    atEnd(() => store.close());
    await store.add([newTask("a"), newTask("b"), newTask("c", { needs: ["a"] }), newTask("d", { status: "done" })]);
    await store.claim(request({ owner: { host: "one", pid: 1, startTime: "1" } }));
    const lost = await store.claim(request({ owner: { host: "two", pid: 2, startTime: "2" }, leaseMs: 60_000 }));
    await onDatabase(url, `UPDATE ralphctl.task SET lease_until = lease_until - 90000 WHERE id = '${lost!.task.id}'`);
    const { stdout } = await fleet(cwd, ["status"], { RALPHCTL_FLEET_URL: url });
    expect(stdout).toContain("Tasks       1 pending (0 ready), 2 in progress, 1 done\n");
    expect(stdout).toContain(
      "Tasks held\n  one  works on 1 task\n  two  works on 1 task; one lease ran out, the first ",
    );
    expect(stdout).toContain("No machine works for this repository. On one, in a clone: ralphctl worker\n");
    const json = JSON.parse((await fleet(cwd, ["status", url, "--json"])).stdout) as { machines: unknown };
    expect(json.machines).toMatchObject([
      { host: "one", tasks: 1, expired: 0 },
      { host: "two", tasks: 1, expired: 1 },
    ]);
  });

  test("F-10 status shows runs, machines and their lanes, usage limits, and what no machine can take", async () => {
    const [cwd, url] = [clone(), await newDatabase()];
    await fleet(cwd, ["init", url]);
    const shared = await openPostgresFleet({ url, repository: git(cwd, "rev-parse", "HEAD").trim() });
    atEnd(() => shared.close());
    const owner = (host: string) => ({ host, pid: 1, startTime: "1" });
    const lease = { leaseMs: 600_000 };
    await shared.store.add([newTask("a"), newTask("b")]);
    const run = {
      scope: "workspace",
      target: "refs/heads/main",
      request: {},
      limits: {},
      owner: owner("lead"),
      ...lease,
    };
    await shared.beginRun({ id: "r-1", ...run });
    await shared.takeIteration("r-1");
    const harnesses = [{ name: "claude" }, { name: "codex", problem: "not logged in" }];
    const member = { lanes: 2, harnesses, version: "0.1.0", ...lease };
    const one = await shared.join({ owner: owner("one"), name: "one", ...member });
    const two = await shared.join({ owner: owner("two"), name: "two", ...member });
    const lanes = [{ lane: 101, task: "a", iteration: 1, doing: "session" }];
    await shared.beat(one, {
      run: "r-1",
      lanes,
      cannot: [
        { task: "a", why: "x" },
        { task: "b", why: "no codex" },
      ],
    });
    await shared.beat(two, { lanes: [], cannot: [{ task: "b", why: "no login" }], problem: "The remote refuses" });
    await shared.cool("acc", "claude", { why: "limit", times: 1, message: "429", forMs: 3_600_000 });
    await onDatabase(url, "UPDATE ralphctl.member SET seen_at = seen_at - 300000, lease_until = 1 WHERE number = 2");
    const told = (await fleet(cwd, ["status", url])).stdout;
    expect(told).toContain("Runs\n  r-1  workspace onto main, 1 iteration begun, followed on lead\n");
    expect(told).toContain(
      "  1  one, 2 lanes, claude, codex (not logged in), ralphctl 0.1.0\n     lane 101  session: a, iteration 1\n",
    );
    expect(told).toMatch(/ {2}2 {2}two, .*, silent for 5m.*\n {5}The remote refuses\n/);
    expect(told).toMatch(/Usage limits\n {2}claude {2}limit of account acc, for .*: 429\n/);
    expect(told).toContain("No machine can take\n  a  a (one: x)\n  b  b (one: no codex)\n");
    await shared.beat(two, { lanes: [], cannot: [{ task: "b", why: "no login" }] });
    const { untaken } = JSON.parse((await fleet(cwd, ["status", url, "--json"])).stdout) as { untaken: unknown };
    expect(untaken).toEqual([{ id: "b", title: "b", why: ["one: no codex", "two: no login"] }]);
  });

  test("F-09 what is wrong with address, login, rights or schema is a sentence, a way out and an exit code", async () => {
    const [cwd, url] = [clone(), await newDatabase()];
    const at = (change: (one: URL) => unknown): string => {
      const one = new URL(url);
      change(one);
      return one.href;
    };
    await onDatabase(url, "CREATE ROLE poor LOGIN");
    const faults: [words: string[], code: number, said: string, hint: string][] = [
      [["status"], 64, "Which PostgreSQL? No address is given", "RALPHCTL_FLEET_URL"],
      [["init", "mysql://a:hidden@b/c"], 64, "This is no address of a database", "postgres://USER@HOST/DATABASE"],
      [["init", "@none"], 64, "There is no file", "chmod 600"],
      [["init", "postgres://ralph:hidden@127.0.0.1:9/none"], 69, "127.0.0.1:9/none cannot be reached", "server runs"],
      [["init", at((one) => (one.username = "nobody-here"))], 77, "refused the login", "~/.pgpass"],
      [
        ["init", at((one) => one.searchParams.set("sslmode", "verify-full"))],
        78,
        "do not agree about TLS",
        "sslmode=disable",
      ],
      [["init", at((one) => (one.pathname = "/none"))], 78, "has no such database", "createdb"],
      [["init", at((one) => (one.username = "poor"))], 78, "The role may not do this", "--print-sql"],
      [["status", url], 78, "has no tasks of a fleet yet", "ralphctl fleet init"],
    ];
    for (const [words, code, said, hint] of faults) {
      const answer = await fleet(cwd, words);
      expect({ words, ...answer }).toMatchObject({ code, stderr: expect.stringContaining(said) });
      expect(answer.stderr).toContain(hint);
      expect(answer.stderr).not.toContain("hidden");
    }
    expect(await fleet(cwd, ["init", url])).toMatchObject({ code: 0 });
    const other = clone();
    git(other, "commit", "--quiet", "--amend", "--message", "Another beginning");
    expect(await fleet(other, ["status", url])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("has no tasks of this repository"),
    });
    await onDatabase(
      url,
      "GRANT USAGE ON SCHEMA ralphctl TO poor; GRANT SELECT ON ALL TABLES IN SCHEMA ralphctl TO poor",
    );
    const poor = await fleet(cwd, ["init", at((one) => (one.username = "poor"))]);
    expect(poor).toMatchObject({ code: 78, stderr: expect.stringContaining("The role may not do this") });
    const rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ralphctl TO poor";
    await onDatabase(url, rights);
    expect(await fleet(cwd, ["init", at((one) => (one.username = "poor"))])).toMatchObject({ code: 0 });
    await onDatabase(url, "UPDATE ralphctl.version SET number = 99");
    expect(await fleet(cwd, ["init", url])).toMatchObject({
      code: 74,
      stderr: expect.stringContaining("newer ralphctl"),
    });
  });
});
