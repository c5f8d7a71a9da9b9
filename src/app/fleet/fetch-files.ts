import { basename, dirname, join, relative } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { memberOf } from "../../domain/run/fleet-lane.ts";
import type { IterationRecord } from "../../domain/run/iteration-record.ts";
import type { Fleet } from "../../store/store.ts";
import { makeFolder, pathExists, writeAtomic } from "../../system/folder.ts";
import type { Caller } from "../task/caller.ts";
import { connectFleet } from "./connect-fleet.ts";

/** F-04: of a longer file, the end is fetched. */
const MOST_BYTES = 4 * 1024 * 1024;
const WAIT_MS = 5000;
const LOOK_MS = 100;
const FILES = ["prompt.md", "transcript.ndjson", "change.patch"];

/** Brings the files of an iteration here from the machine that has them, if it is there; says why not. */
export async function fetchFiles({ started }: IterationRecord, root: string, caller: Caller): Promise<void> {
  const folder = join(root, started.folder);
  const member = memberOf(started.lane);
  if (member === undefined || FILES.some((name) => pathExists(join(folder, name)))) return;
  const runs = join(root, ".ralph", "runs");
  const [run = ""] = relative(runs, folder).split("/");
  const fleet = await connectFleet(caller, { connections: 1 });
  try {
    const found = (await fleet.members()).find(({ number }) => number === member);
    if (found?.isLive !== true) {
      caller.notice(`Prompt, transcript and patch of iteration ${started.iteration} are on a machine that is gone`);
      return;
    }
    const within = relative(join(runs, run), folder);
    for (const name of FILES)
      await fetchFile(fleet, { member, run, file: join(within, name), to: join(folder, name), caller });
  } finally {
    await fleet.close();
  }
}

interface Wanted {
  readonly member: number;
  readonly run: string;
  readonly file: string;
  readonly to: string;
  readonly caller: Caller;
}

async function fetchFile(fleet: Fleet, { member, run, file, to, caller }: Wanted): Promise<void> {
  const ask = await fleet.ask({ member, run, file, maxBytes: MOST_BYTES });
  for (const start = performance.now(); performance.now() - start < WAIT_MS;) {
    const answer = await fleet.answerTo(ask);
    if (answer !== undefined) {
      if ("problem" in answer) return;
      await makeFolder(dirname(to), { isPrivate: true });
      await writeAtomic(to, answer.text, 0o600);
      if (answer.isCut) caller.notice(`${basename(to)} is long: only its end was fetched`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new RalphError("unavailable", `Machine ${member} does not answer`, {
    hint: "Look at it with ralphctl fleet status",
  });
}
