import type { Argument, Command, Option } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";

const folder: Argument = { name: "dir", doc: "the folder with SPRINT.yaml or PROGRESS.yaml", completes: "sprint" };

const strict: Option = { flags: "--strict", doc: "what would be a warning about its files is an error" };

/** Sprints: a goal with the steps that agents plan, or phases in sequence. `run --sprint DIR` is their loop. */
export const sprintCommands: readonly Command[] = [
  {
    name: "sprint start",
    summary: "check a sprint's files, make its PROGRESS.yaml and its tasks",
    args: [folder],
    options: [strict, configFlag],
    examples: ["ralphctl sprint start sprints/login", "ralphctl run --sprint sprints/login"],
    load: async () => await import("./sprint-start.ts"),
  },
  {
    name: "sprint status",
    summary: "show a sprint's goal and steps, and how far they are",
    args: [folder],
    options: [strict, configFlag, jsonFlag],
    examples: ["ralphctl sprint status sprints/login --json"],
    load: async () => await import("./sprint-status.ts"),
  },
  {
    name: "sprint stop",
    summary: "stop the run of a sprint; again: kill its agent",
    args: [folder],
    options: [{ flags: "--after", doc: "let it finish the iteration that it is in" }, configFlag],
    examples: ["ralphctl sprint stop sprints/login"],
    load: async () => await import("./sprint-stop.ts"),
  },
];
