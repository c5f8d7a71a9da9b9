import { copyOf, type Seen, type Template } from "../kill-template.ts";
import { leftBy, type Link, runAgain, runAndDie, STEPS } from "../killed-run.ts";

/** A signal, and whether it is for the whole process group, as that of a terminal is. */
export interface Kill {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL";
  readonly whole: boolean;
}

export interface Chain {
  readonly links: Readonly<Record<string, Link>>;
  readonly end: Seen;
}

/** One workspace and a run for each of the ten steps, each cut off in its step; then one that is left alone. */
export async function playChain(template: Template, kill: Kill): Promise<Chain> {
  const folder = copyOf(template);
  const links: Record<string, Link> = {};
  for (const [step, from] of STEPS) {
    const ended = await runAndDie(folder, { ...kill, from, at: 1 });
    links[step] = await leftBy(template, folder, ended);
  }
  return { links, end: await runAgain(template, folder) };
}
