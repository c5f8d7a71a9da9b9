import { landWork, type LandReport } from "../../app/land.ts";
import { printable } from "../../domain/printable.ts";
import { checkHost } from "../check-host.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { plural } from "../../format/run-text.ts";
import type { Io } from "../io.ts";
import { pageWriter, printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** Lets the branch follow what landed (L-24). */
export async function run(input: Input, io: Io): Promise<number> {
  const talk = isJson(input) ? io.err : await pageWriter(io);
  const report = await landWork(await checkHost(input, io, talk));
  if (isJson(input)) printJson(io, landJson(report));
  else await printPage(io, printable(`${landText(report)}\n`));
  return CODES[report.result];
}

const CODES = {
  followed: EXIT_CODES.complete.code,
  merged: EXIT_CODES.complete.code,
  even: EXIT_CODES.complete.code,
  unlanded: EXIT_CODES.complete.code,
  refused: EXIT_CODES.blocked.code,
  interrupted: EXIT_CODES.interrupted.code,
} as const satisfies Record<LandReport["result"], number>;

function landText({ target, result, commit, commits, refusal }: LandReport): string {
  const branch = target.branch ?? "HEAD";
  const at = `${branch} is at ${commit?.slice(0, 10)} now`;
  if (result === "followed") return `${at}: it got ${plural(commits, "commit")} that landed`;
  if (result === "merged") return `The gates pass on your commits together with those that landed. ${at}`;
  if (result === "even") return `${branch} has everything that landed`;
  if (result === "unlanded") return `Nothing has landed for ${branch} yet`;
  if (result === "interrupted") return "Stopped by you, and nothing has changed";
  return `${branch} does not follow: ${refusal?.why}\n${refusal?.remedy}`;
}

const landJson = ({ target, result, commit, commits, refusal }: LandReport): unknown => ({
  version: 1,
  branch: target.branch ?? null,
  ref: target.ref,
  result,
  commit: commit ?? null,
  commits,
  why: refusal?.why ?? null,
  remedy: refusal?.remedy ?? null,
  steps: refusal?.steps ?? [],
});
