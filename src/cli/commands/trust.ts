import { acceptTrust, allTrust, forgetTrust, reviewScope, type TrustReview } from "../../app/trust/trust.ts";
import { RalphError } from "../../domain/error.ts";
import { printable } from "../../domain/printable.ts";
import { type Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import { recordJson, recordText, trustJson, trustLines, trustTitle } from "../../format/trust-text.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";
import { askTrust } from "../trust-question.ts";

/** B-01: shows what the repository's own files start and set, and takes a person's yes. */
export async function run(input: Input, io: Io): Promise<number> {
  checkOne(input);
  if (input.options["list"] === true) return await list(input, io);
  const around = surroundings(input, io);
  if (input.options["forget"] === true) {
    const isForgotten = await forgetTrust(around);
    io.out(isForgotten ? "Forgotten: ralphctl will ask again\n" : "Nothing was trusted here\n");
    return 0;
  }
  const review = await reviewScope(scopeChoice(input), around);
  const isTrusted = review.isTrusted || (await isAccepted(review, input, io));
  if (isJson(input)) printJson(io, trustJson({ ...review, isTrusted }));
  else io.out(stateText({ ...review, isTrusted }));
  return isTrusted ? 0 : EXIT_CODES.config.code;
}

function checkOne({ options }: Input): void {
  const given = ["yes", "forget", "list"].filter((name) => options[name] === true).map((name) => `--${name}`);
  if (given.length < 2) return;
  throw new RalphError("usage", `${given.join(" and ")} cannot be used together`, { hint: "Give one of them" });
}

async function isAccepted(review: TrustReview, input: Input, io: Io): Promise<boolean> {
  if (input.options["yes"] !== true) {
    if (isJson(input) || !io.isInteractive) return false;
    if (!(await askTrust(review, io))) return false;
  }
  await acceptTrust(review);
  return true;
}

function stateText(review: TrustReview): string {
  const { changes, isTrusted } = review;
  if (changes.length === 0) return "The repository's own files start nothing and set nothing that needs your trust\n";
  const lines = trustLines(review).map(({ text }) => `${text}\n`);
  const state = isTrusted ? "Trusted, until they change" : "Not trusted. To trust them: ralphctl trust --yes";
  return printable(`${trustTitle(review)}\n\n${lines.join("")}\n${state}\n`);
}

async function list(input: Input, io: Io): Promise<number> {
  const { records, unreadable } = await allTrust(io.env);
  if (isJson(input)) printJson(io, records.map(recordJson));
  else io.out(records.length === 0 ? "Nothing is trusted yet\n" : records.map(recordText).join(""));
  for (const file of unreadable) io.err(`warning: The trust file ${file} cannot be read\n`);
  return 0;
}
