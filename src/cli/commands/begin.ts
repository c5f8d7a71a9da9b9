import { placeAround } from "../../app/around.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { aligned } from "../../format/page-parts.ts";

/** `ralphctl` alone: the status and what to type next; outside of a workspace, how to begin. */
export async function run(io: Io): Promise<number | void> {
  const place = await placeAround(io.cwd);
  if (place === "workspace") return await (await import("./status.ts")).run({ args: [], options: {} }, io);
  const steps: (readonly [string, string])[] = [
    ["ralphctl demo", "watch a complete run, without an agent and without cost"],
    ...(place === "repository"
      ? ([["ralphctl init", "set up this repository"]] as const)
      : ([["cd YOUR-REPOSITORY && ralphctl init", "set up a repository; git init makes one"]] as const)),
    ['ralphctl run "Add a login page"', "let an agent work until the gates prove it"],
  ];
  await printPage(
    io,
    [
      "ralphctl runs coding agents in a loop over a graph of tasks until the work is proven done.",
      place === "repository" ? "This repository is no workspace yet." : "There is no git repository here.",
      "",
      "Begin:",
      ...aligned(steps),
      "",
      "All commands: ralphctl --help",
      "",
    ].join("\n"),
  );
}
