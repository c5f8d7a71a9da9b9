import { showDesktopNotice, terminalNotice } from "../../app/desktop-notice.ts";
import { testNotify } from "../../app/notify-test.ts";
import { alertSequence } from "../alerts.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { printWarnings, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";

const NOTICE = { title: "ralphctl", text: "A test of ralphctl notify" };

/** Sends a message everywhere, as the end of a run would. */
export async function test(input: Input, io: Io): Promise<number> {
  const around = surroundings(input, io);
  const { results, notices } = await testNotify(around, io.interrupts().stop);
  printWarnings(io, notices);
  const terminal = io.paper?.("out");
  const isOn = (await terminalNotice(around)) === "on";
  if (terminal !== undefined && isOn) terminal.write(alertSequence(io.env, NOTICE));
  const isShown = isOn && terminal !== undefined && showDesktopNotice(NOTICE, io.env);
  const here = !isOn ? "off" : terminal === undefined ? "nobody is there" : isShown ? "bell, and your desktop" : "bell";
  const lines = [`terminal  ${here}`, ...results.map(({ service, why }) => `${service.padEnd(8)}  ${why ?? "sent"}`)];
  await printPage(io, lines.map((line) => `${line}\n`).join(""));
  if (results.length === 0 && notices.length === 0) io.err(NONE);
  return results.some(({ why }) => why !== undefined) ? EXIT_CODES.failure.code : EXIT_CODES.complete.code;
}

const NONE = `No service is told. Add one to .ralph/config.yaml, with its address in a variable:
  notify: { ntfy: $NTFY_URL }
`;
