import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import type { Redactor } from "../../domain/redact.ts";
import { isRunId } from "../../domain/run/run-id.ts";
import type { Bell } from "../../loop/desk.ts";
import type { FileAnswer, FileAsk, Fleet } from "../../store/store.ts";
import { checkInside, sizeOf } from "../../system/folder.ts";
import { readTail } from "../../system/store-file.ts";
import { sleep } from "../../system/sleep.ts";
import { syncContexts } from "./shared-context.ts";

export interface MachineRequest {
  readonly fleet: Fleet;
  /** Rings when somebody asks this machine or another. */
  readonly asks: Pick<Bell, "next">;
  readonly member: number;
  /** The workspace, and the folder of its tasks, which all working trees share. */
  readonly root: string;
  readonly home: string;
  readonly redact: Redactor;
}

const LOOK_MS = 1000;

/**
 * What a machine does for the others while it works: it answers questions about files that stay there (F-04), and has what
 * people tell agents (F-06). Returns a function that ends it.
 */
export function serveMachine(request: MachineRequest): () => Promise<void> {
  const { fleet, asks } = request;
  const end = new AbortController();
  const serving = (async () => {
    while (!end.signal.aborted) {
      const asked = asks.next();
      try {
        await syncContexts(fleet.store, request.home);
        await answerAsks(request);
      } catch (error) {
        // F-07: the database may be back at the next look.
        if (!(error instanceof RalphError)) throw error;
      }
      await Promise.race([asked, sleep(LOOK_MS, end.signal)]);
    }
  })();
  return async () => {
    end.abort();
    await serving;
  };
}

/** Answers all open questions to this machine. */
export async function answerAsks({
  fleet,
  member,
  root,
  redact,
}: Omit<MachineRequest, "home" | "asks">): Promise<void> {
  for (const ask of await fleet.asked(member)) {
    const answer = await answerTo(ask, root).catch((error: unknown): FileAnswer => {
      if (error instanceof RalphError) return { problem: error.message };
      throw error;
    });
    await fleet.answer(ask.id, "text" in answer ? { ...answer, text: redact(answer.text) } : answer);
  }
}

/** W-05: a file of a run's folder, and nothing that a link or a name leads to. */
async function answerTo({ run, file, maxBytes }: FileAsk, root: string): Promise<FileAnswer> {
  const folder = join(root, ".ralph", "runs", run);
  const path = join(folder, file);
  if (!isRunId(run)) return { problem: "That is no run" };
  await checkInside(folder, path);
  const size = sizeOf(path);
  if (size === undefined) return { problem: "The file is not there any more" };
  const text = readTail(path, maxBytes).toString("utf8");
  const isCut = size > maxBytes;
  // A line that has lost its beginning is no line.
  return { text: isCut ? text.slice(text.indexOf("\n") + 1) : text, isCut };
}
