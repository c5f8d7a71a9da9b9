import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OwnFile } from "../../domain/agent-event.ts";
import type { Environment } from "../../domain/environment.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openOwnFile } from "./agent-files.ts";

const wanted = { variable: "AGENT_HOME", otherwise: ".agent", folder: "sessions", endsWith: "-id-1.jsonl" };

function opened(file: OwnFile | undefined, env: Environment) {
  const lines: string[] = [];
  const own = openOwnFile({ wants: () => file, own: (line) => void lines.push(line) }, env);
  return { look: own.look, lines, isFound: own.isFound };
}

async function read(file: OwnFile | undefined, env: Environment): Promise<readonly string[]> {
  const { look, lines } = opened(file, env);
  await look();
  return lines;
}

describe("a file that a CLI keeps for itself", () => {
  const home = temporaryFolder({
    ".agent/sessions/2026/11/14/rollout-a-id-1.jsonl": "older\n",
    ".agent/sessions/2026/11/15/rollout-b-id-1.jsonl": "newer\n",
    ".agent/sessions/2026/11/15/rollout-c-id-2.jsonl": "another\n",
    "elsewhere/sessions/rollout-d-id-1.jsonl": "named\n",
  });

  test("is found below the home folder, the newest first", async () => {
    expect(await read(wanted, { HOME: home })).toEqual(["newer"]);
  });

  test("is found where a variable says that the CLI's home is", async () => {
    expect(await read(wanted, { HOME: home, AGENT_HOME: join(home, "elsewhere") })).toEqual(["named"]);
  });

  test("is as good as missing where there is none, and where nobody asked", async () => {
    expect(await read({ ...wanted, endsWith: "-id-9.jsonl" }, { HOME: home })).toEqual([]);
    expect(await read(wanted, { HOME: join(home, "nowhere") })).toEqual([]);
    expect(await read(wanted, {})).toEqual([]);
    expect(await read(undefined, { HOME: home })).toEqual([]);
  });

  test("gives each line once, whole, however often and at once one looks", async () => {
    const folder = temporaryFolder({ ".agent/sessions/x-id-1.jsonl": "one\ntw" });
    const { look, lines } = opened(wanted, { HOME: folder });
    await Promise.all([look(), look(), look()]);
    expect(lines).toEqual(["one"]);
    appendFileSync(join(folder, ".agent/sessions/x-id-1.jsonl"), "o\nthree\n");
    await Promise.all([look(), look()]);
    expect(lines).toEqual(["one", "two", "three"]);
  });

  test("is found when it appears later", async () => {
    const folder = temporaryFolder({ ".agent/sessions/other.jsonl": "" });
    const { look, lines, isFound } = opened(wanted, { HOME: folder });
    await look();
    expect(isFound()).toBe(false);
    appendFileSync(join(folder, ".agent/sessions/x-id-1.jsonl"), "there\n");
    await look();
    expect([isFound(), lines]).toEqual([true, ["there"]]);
  });

  test("is read to its end however large it is, but for lines that are too long", async () => {
    const text = `${"x".repeat(3_000_000)}\n${"short\n".repeat(200_000)}last\n`;
    const lines = await read(wanted, { HOME: temporaryFolder({ ".agent/sessions/x-id-1.jsonl": text }) });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([200_001, "short", "last"]);
  });
});
