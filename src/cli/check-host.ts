import { openRedactor } from "../app/redactor.ts";
import type { CheckHost } from "../app/run/checks.ts";
import { printable } from "../domain/printable.ts";
import { redactEvent, type Redactor } from "../domain/redact.ts";
import type { Input } from "./command.ts";
import { caller } from "./flags.ts";
import { commandLines, gateText, outputEnd } from "../format/gate-lines.ts";
import type { Io } from "./io.ts";

/** The host of gates run by a person: prints the commands first, then each result, without secrets. */
export async function checkHost(
  input: Input,
  io: Io,
  talk: (text: string) => void,
): Promise<CheckHost & { readonly redact: Redactor }> {
  const redact = await openRedactor(caller(input, io));
  const { stop, kill } = io.interrupts();
  return {
    ...caller(input, io),
    redact,
    emit: (event) => {
      if (event.type !== "gate.finished") return;
      const safe = redactEvent(event, redact);
      talk([gateText(safe), ...(safe.passed ? [] : outputEnd(safe.output)), ""].join("\n"));
    },
    announce: (commands, folder) => {
      if (commands.length === 0) return;
      const lines = commandLines(
        commands.map(({ id, run, isAgents }) => ({
          gate: isAgents === true ? `${id}, written by an agent` : id,
          command: run,
        })),
      );
      talk([`These commands will run in ${printable(folder)}:`, ...lines, ""].join("\n"));
    },
    stop,
    kill,
    self: io.self,
  };
}
