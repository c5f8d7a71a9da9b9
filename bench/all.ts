import { benchAtOnce } from "./at-once.ts";
import { benchClaim } from "./claim.ts";
import { benchFleet } from "./fleet.ts";
import { benchFleetMany } from "./fleet-many.ts";
import { benchGit } from "./git.ts";
import { benchLanes } from "./lanes.ts";
import { benchLoop } from "./loop.ts";
import { benchMany } from "./many.ts";
import { benchMemory } from "./memory.ts";
import { benchPrompts } from "./prompts.ts";
import { benchQuick } from "./quick.ts";
import { benchSpawn, benchSweep } from "./spawn.ts";
import { benchReaders } from "./readers.ts";
import { benchRedact } from "./redact.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchReport } from "./report.ts";
import { benchResolve } from "./resolve.ts";
import { benchStart } from "./start.ts";
import { benchStore } from "./store.ts";
import { benchStream } from "./stream.ts";
import { benchTrust } from "./trust.ts";
import { benchUi } from "./ui.ts";
import { benchView } from "./view.ts";

export type Print = (line: string) => void;

/** Every benchmark by its name. */
const BENCHMARKS: Readonly<Record<string, (print: Print) => Promise<void> | void>> = {
  start: benchStart,
  prompts: benchPrompts,
  readers: benchReaders,
  redact: benchRedact,
  store: benchStore,
  fleet: benchFleet,
  "fleet-many": benchFleetMany,
  git: benchGit,
  loop: benchLoop,
  lanes: benchLanes,
  "at-once": benchAtOnce,
  claim: benchClaim,
  stream: benchStream,
  memory: benchMemory,
  spawn: benchSpawn,
  sandbox: benchSandbox,
  sweep: benchSweep,
  quick: benchQuick,
  many: benchMany,
  resolve: benchResolve,
  report: benchReport,
  view: benchView,
  trust: benchTrust,
  ui: benchUi,
};

/** Runs those that were asked for, or all, one after the other. */
export async function all(names: readonly string[], print: Print): Promise<void> {
  for (const [name, bench] of Object.entries(BENCHMARKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    print(`\n${name}`);
    await bench(print);
  }
}
