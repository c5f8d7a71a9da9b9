import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { readOwnFile } from "./agent-files.ts";

const wanted = { variable: "AGENT_HOME", otherwise: ".agent", folder: "sessions", endsWith: "-id-1.jsonl" };

describe("a file that a CLI keeps for itself", () => {
  const home = temporaryFolder({
    ".agent/sessions/2026/11/14/rollout-a-id-1.jsonl": "older\n",
    ".agent/sessions/2026/11/15/rollout-b-id-1.jsonl": "newer\n",
    ".agent/sessions/2026/11/15/rollout-c-id-2.jsonl": "another\n",
    "elsewhere/sessions/rollout-d-id-1.jsonl": "named\n",
  });

  test("is found below the home folder, the newest first", async () => {
    expect(await readOwnFile(wanted, { HOME: home })).toBe("newer\n");
  });

  test("is found where a variable says that the CLI's home is", async () => {
    expect(await readOwnFile(wanted, { HOME: home, AGENT_HOME: join(home, "elsewhere") })).toBe("named\n");
  });

  test("is as good as missing where there is none, and where nobody asked", async () => {
    expect(await readOwnFile({ ...wanted, endsWith: "-id-9.jsonl" }, { HOME: home })).toBe(undefined);
    expect(await readOwnFile(wanted, { HOME: join(home, "nowhere") })).toBe(undefined);
    expect(await readOwnFile(wanted, {})).toBe(undefined);
    expect(await readOwnFile(undefined, { HOME: home })).toBe(undefined);
  });

  test("of a large one the end is read", async () => {
    const large = temporaryFolder({ ".agent/sessions/x-id-1.jsonl": `${"x".repeat(3_000_000)}\nlast\n` });
    const text = await readOwnFile(wanted, { HOME: large });
    expect([text?.length, text?.endsWith("\nlast\n")]).toEqual([1024 * 1024, true]);
  });
});
