import type { Command } from "../command.ts";
import { configFlag, jsonFlag, scopeFlags } from "../flags.ts";

/** Commands to look at a run, during and after it. */
export const inspectionCommands: readonly Command[] = [
  {
    name: "status",
    readsRuns: true,
    summary: "show runs, tasks, questions, cost, and what to do next",
    options: [{ flags: "--watch", doc: "show it again every two seconds" }, ...scopeFlags, configFlag, jsonFlag],
    examples: ["ralphctl status", "ralphctl status --watch", "ralphctl status --project auth-system --json"],
    load: async () => await import("./status.ts"),
  },
  {
    name: "inspect",
    readsRuns: true,
    summary: "show what happened in a run, iteration or task, and why",
    args: [
      {
        name: "subject",
        doc: "a run, an iteration (3, RUN/3) or a task; default: the newest run",
        completes: "run",
        isOptional: true,
      },
    ],
    options: [
      { flags: "--diff", doc: "print what an iteration changed, as a patch" },
      { flags: "-o, --output <file>", doc: "write it to this file, as JSON; - prints it", completes: "file" },
      ...scopeFlags,
      configFlag,
      jsonFlag,
    ],
    examples: [
      "ralphctl inspect",
      "ralphctl inspect 3",
      "ralphctl inspect 3 --diff",
      "ralphctl inspect t-1a2b3c4d",
      "ralphctl inspect --project auth-system --json",
    ],
    load: async () => await import("./inspect.ts"),
  },
  {
    name: "logs",
    readsRuns: true,
    summary: "print the log of a run; -f follows it until it ends",
    args: [{ name: "run", doc: "its id or a prefix; default: the newest run", completes: "run", isOptional: true }],
    options: [
      { flags: "-f, --follow", doc: "follow the run until it ends" },
      { flags: "--iteration <n>", doc: "only this iteration" },
      { flags: "--task <id>", doc: "only this task", completes: "task" },
      { flags: "--lane <n>", doc: "only this lane" },
      { flags: "--type <type>", doc: "only events of this type, such as gate or verdict.reached", isRepeatable: true },
      { flags: "--tail <n>", doc: "only the last lines" },
      ...scopeFlags,
      configFlag,
      { flags: "--json", doc: "print the events as they were written" },
      { flags: "-q, --quiet", doc: "print only verdicts, problems and the summary" },
      { flags: "-v, --verbose", doc: "also print thinking, tool results and all notices" },
    ],
    examples: ["ralphctl logs -f", "ralphctl logs --iteration 3 --type gate", "ralphctl logs --tail 20 --json"],
    load: async () => await import("./logs.ts"),
  },
  {
    name: "watch",
    readsRuns: true,
    summary: "show the live view of a run in another terminal",
    args: [{ name: "run", doc: "its id or a prefix; default: the newest run", completes: "run", isOptional: true }],
    options: [
      { flags: "--plain", doc: "print timestamped lines, like logs --follow" },
      { flags: "-v, --verbose", doc: "also print thinking, tool results and all notices" },
    ],
    examples: ["ralphctl watch", "ralphctl watch r-20261116"],
    load: async () => await import("./watch.ts"),
  },
  {
    name: "ui",
    readsRuns: true,
    summary: "serve a page that shows all runs, and lets you answer",
    options: [
      { flags: "--port <n>", doc: "the port on 127.0.0.1 and ::1; default: a free one" },
      { flags: "--no-open", doc: "do not open the browser" },
      { flags: "--idle <duration>", doc: "end when there was no run and no open page for this long" },
      { flags: "--url", doc: "print the address of the page that is served already" },
      configFlag,
    ],
    examples: ["ralphctl ui", "ralphctl ui --no-open --port 4400", "ralphctl ui --url"],
    load: async () => await import("./ui.ts"),
  },
  {
    name: "report",
    readsRuns: true,
    summary: "summarize a run, as text or as an HTML page",
    args: [{ name: "run", doc: "its id or a prefix; default: the newest run", completes: "run", isOptional: true }],
    options: [
      { flags: "--html", doc: "write one HTML page with tasks, time, cost and evidence" },
      { flags: "-o, --output <file>", doc: "write to this file; - prints it", completes: "file" },
      ...scopeFlags,
      configFlag,
      jsonFlag,
    ],
    examples: ["ralphctl report", "ralphctl report --html", "ralphctl report r-20261116 --html --output report.html"],
    load: async () => await import("./report.ts"),
  },
];
