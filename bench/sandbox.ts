import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { bwrapCommand } from "../src/domain/sandbox/bwrap.ts";
import { namespaceCommand } from "../src/domain/sandbox/init.ts";
import { sandboxPlaces } from "../src/domain/sandbox/places.ts";
import { command } from "../src/harness/command.ts";
import type { Box } from "../src/system/process/box.ts";
import { findPlaces } from "../src/system/sandbox/find-places.ts";
import { openSockets } from "../src/system/sandbox/open-sockets.ts";
import { probeNamespace, probeSandbox } from "../src/system/sandbox/probe.ts";
import { thisUser } from "../src/system/sandbox/this-user.ts";
import type { Print } from "./all.ts";
import { byTurns, row } from "./measure.ts";
import { session } from "./harness-session.ts";
import { runSession } from "./session.ts";

const ROUNDS = 41;
const LIMIT_MS = 30;

/** What a sandbox, and a process namespace alone, add to a session of an agent that says one word. */
export async function benchSandbox(print: Print): Promise<void> {
  const why = (await probeSandbox("bwrap", process.env)) ?? (await probeNamespace(thisUser(), process.env));
  if (why !== undefined) return print(`  skipped: ${why.why}`);
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-sandbox-"));
  let number = 0;
  const run = (makeBox: () => Promise<Box | undefined>) => async (): Promise<void> => {
    number += 1;
    const name = String(number);
    const box = await makeBox();
    await runSession({ file: "/bin/echo", args: ["done"], reader: command.reader(session), folder, name, box });
  };
  try {
    const costs = await byTurns(ROUNDS, {
      none: run(async () => undefined),
      bwrap: run(async () => await bwrapBox(folder)),
      namespace: run(async () => ({
        enter: ({ file, args }) => namespaceCommand(thisUser(), [file, ...args]),
        tellsLeft: true,
        isBehind: false,
      })),
    });
    print(row("a session of an agent that says one word", "time", "added", `limit ${LIMIT_MS} ms`));
    for (const [name, { ms }] of Object.entries(costs)) {
      const added = ms - costs.none.ms;
      print(row(name, `${ms.toFixed(1)} ms`, `${added.toFixed(1)} ms`, added <= LIMIT_MS ? "kept" : "broken"));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As a run makes it for each session, with all places of the profile. */
async function bwrapBox(folder: string): Promise<Box> {
  const env = { HOME: homedir(), PATH: process.env["PATH"] };
  const settings = { write: [], read: [], hide: [] };
  const asked = {
    env,
    write: [folder],
    read: [folder],
    keep: [],
    programs: [],
    sockets: openSockets(),
    homes: [],
    own: [{ otherwise: ".claude" }],
    agents: [],
    settings,
  };
  const places = await findPlaces(sandboxPlaces(asked));
  const profile = {
    name: "write",
    places,
    keepsProcesses: false,
    isRoot: thisUser() === undefined,
    unset: [],
  } as const;
  return { enter: (program) => bwrapCommand(profile, program), tellsLeft: true, isBehind: true };
}
