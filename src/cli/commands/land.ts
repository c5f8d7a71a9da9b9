import { landWork, type LandReport } from "../../app/land.ts";
import { printable } from "../../domain/printable.ts";
import { checkHost } from "../check-host.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { landedWords } from "../../format/changed-words.ts";
import type { Io } from "../io.ts";
import { pageWriter, printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** Lets the branch follow what landed (L-24). */
export async function run(input: Input, io: Io): Promise<number> {
  const talk = isJson(input) ? io.err : await pageWriter(io);
  const report = await landWork(await checkHost(input, io, talk));
  if (isJson(input)) printJson(io, landJson(report));
  else await printPage(io, printable(`${landedWords(report)}\n`));
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
