import type { Task, TaskSource } from "../task.ts";

/** Where the one task comes from that a prompt file itself is (P-03). No plan file has such a key. */
export const promptTaskSource = (file: string): TaskSource => ({ file, key: KEY });

export const isPromptTask = ({ source }: Pick<Task, "source">): boolean => source?.key === KEY;

const KEY = "(prompt file)";
