import type { Argument, Command, Option } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";

const folder: Argument = { name: "dir", doc: "the folder with SPRINT.yaml or PROGRESS.yaml", completes: "sprint" };

const strict: Option = { flags: "--strict", doc: "treat warnings about its files as errors" };

/** Sprints: a goal with the steps that agents plan, or phases in sequence. `run --sprint DIR` is their loop. */
export const sprintCommands: readonly Command[] = [
  {
    name: "sprint start",
    summary: "check a sprint's files, create its PROGRESS.yaml and tasks",
    args: [folder],
    options: [strict, configFlag],
    examples: ["ralphctl sprint start sprints/login", "ralphctl run --sprint sprints/login"],
    load: async () => await import("./sprint-start.ts"),
  },
  {
    name: "sprint status",
    summary: "show a sprint's goal, steps and progress",
    args: [folder],
    options: [strict, configFlag, jsonFlag],
    examples: ["ralphctl sprint status sprints/login --json"],
    load: async () => await import("./sprint-status.ts"),
  },
  {
    name: "sprint stop",
    summary: "stop a sprint's run; again kills its agent",
    args: [folder],
    options: [{ flags: "--after", doc: "let it finish its current iteration" }, configFlag],
    examples: ["ralphctl sprint stop sprints/login"],
    load: async () => await import("./sprint-stop.ts"),
  },
];
