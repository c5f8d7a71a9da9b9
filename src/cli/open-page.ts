import { openLink } from "../app/page/open-link.ts";
import { openBrowser, pageBeside } from "../app/page/page-beside.ts";
import { addressOf, type KnownPage } from "../app/page/page-file.ts";
import { type Input, textOption } from "./command.ts";
import { printWarnings } from "./flags.ts";
import type { Io } from "./io.ts";

/** A page that was opened beside a run ends when nobody needs it any more. */
const IDLE = "30m";

/** U-01: opens the page beside a run. Whatever happens to it, the run begins. */
export async function openPageBeside(input: Input, io: Io): Promise<void> {
  const config = textOption(input, "config");
  const command = [
    ...io.self,
    "ui",
    "--no-open",
    "--idle",
    IDLE,
    ...(config === undefined ? [] : ["--config", config]),
  ];
  const [file = "", ...args] = command;
  const { stop } = io.interrupts();
  const page = await pageBeside({ cwd: io.cwd, env: io.env, command: [file, ...args], stop }).catch(() => undefined);
  if (page !== undefined) showPage(page, io);
  else printWarnings(io, ["The page did not start, so the run goes on without it. Run ralphctl ui to see why"]);
}

/** Opens the browser, or says what to open. The output of a run may be kept: only a terminal gets the token. */
export function showPage(page: Pick<KnownPage, "port" | "token">, io: Io): void {
  const plain = `http://127.0.0.1:${page.port}/`;
  if (openBrowser(openLink(page), io.env)) io.err(`The page is open in your browser: ${plain}\n`);
  else if (io.isInteractive) io.err(`The page: ${addressOf(page)}\n`);
  else io.err(`The page is at ${plain}; ralphctl ui --url prints the address to open\n`);
}
