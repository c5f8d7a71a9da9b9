import type { InitPlan } from "../app/init.ts";
import { commitRoomLines, hasCommit, hasLines, type RoomLines, writeRoomLines } from "../app/room-lines.ts";
import { keepingTrust } from "../app/trust/trust.ts";
import { tryRoom } from "../app/try-room.ts";
import { openWorkspace } from "../app/workspace.ts";
import { RalphError } from "../domain/error.ts";
import { printable } from "../domain/printable.ts";
import { checkHost } from "./check-host.ts";
import type { Input } from "./command.ts";
import { EXIT_CODES } from "./exit-code.ts";
import { trialText } from "../format/room-trial.ts";
import type { Io } from "./io.ts";

export interface TrialRequest {
  readonly plan: InitPlan;
  /** The files of `init` were committed, so lines may be too. */
  readonly commits: boolean;
  /** Somebody is there and has not said yes to everything. */
  readonly asks: boolean;
}

/** T-02: tries the gates in a fresh checkout, if that is wanted, and offers lines that are missing. Returns an exit code. */
export async function tryGates({ plan, commits, asks }: TrialRequest, input: Input, io: Io): Promise<number> {
  const isTold = input.options["try"] === true;
  if (plan.checks.length === 0 || (!isTold && !asks)) return 0;
  const place = { folder: plan.root, env: io.env };
  if (!(await hasCommit(place))) {
    io.out("The gates are not tried: there is no commit yet. After the first, ralphctl doctor --probe tries them\n");
    return 0;
  }
  if (!isTold && !(await io.confirm("Try these gates once in a fresh checkout?"))) return 0;
  const host = {
    ...(await checkHost(input, io, io.err)),
    emit: (event: { readonly type: string; readonly text?: unknown }) => {
      if (event.type === "run.notice") io.err(printable(`${String(event.text)}\n`));
    },
  };
  const trial = await tryRoom(await openWorkspace(host), host).catch((error: unknown) => {
    if (!(error instanceof RalphError)) throw error;
    io.out(
      printable(`The gates cannot be tried: ${error.message}\n${error.hint === undefined ? "" : `${error.hint}\n`}`),
    );
    return undefined;
  });
  if (trial === undefined) return 0;
  io.out(trialText(trial));
  if (trial.verdict === "stopped") return EXIT_CODES.interrupted.code;
  if (asks && hasLines(trial.lines)) await offer(trial.lines, { plan, commits }, io);
  return 0;
}

/** Writes lines only after a yes. */
async function offer(lines: RoomLines, { plan, commits }: Pick<TrialRequest, "plan" | "commits">, io: Io) {
  const yes = [
    ...(commits ? [{ value: "commit", label: "Yes, and commit them" }] : []),
    { value: "write", label: commits ? "Yes, without a commit" : "Yes" },
  ];
  const no = { value: "no", label: "No" };
  // Enter must not be enough for the last resort.
  const answer = await io.choose("Write these lines?", lines.isInPlace ? [no, ...yes] : [...yes, no]);
  if (answer !== "commit" && answer !== "write") return;
  const { written, refused } = await keepingTrust(
    { cwd: plan.root, env: io.env },
    async () => await writeRoomLines(plan.root, lines),
  );
  const commit = answer === "commit" ? await commitRoomLines({ folder: plan.root, env: io.env }, written) : undefined;
  io.out(
    [
      ...(written.length > 0
        ? [`Wrote ${written.join(", ")}${commit === undefined ? "" : `, committed as ${commit}`}\n`]
        : []),
      ...refused.map((path) => `Write the lines into ${path} yourself: it has such settings already\n`),
    ].join(""),
  );
}
