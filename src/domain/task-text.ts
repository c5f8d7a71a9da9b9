import { RalphError } from "./error.ts";
import type { TaskPatch } from "./task-input.ts";
import type { Task } from "./task.ts";

const ACCEPTANCE = "## Acceptance";
const NOTE =
  "<!-- The first line is the title, below it the description. Save and close; an empty file changes nothing. -->";

/** A task as a text that a person can edit. */
export function taskText({ title, description, acceptance, priority }: Task): string {
  const list = acceptance.length === 0 ? [] : ["", ACCEPTANCE, "", ...acceptance.map((item) => `- ${item}`)];
  return [`# ${title}`, "", `Priority: ${priority}`, "", description.trim(), ...list, "", NOTE, ""].join("\n");
}

/** The fields that differ in an edited text. Throws what cannot be understood. */
export function taskPatch(task: Task, text: string): TaskPatch {
  const body = text.replace(NOTE, "").trim();
  if (body === "") return {};
  const [first = "", ...lines] = body.split("\n");
  const title = first.replace(/^#+\s*/, "").trim();
  if (title === "") throw new RalphError("data", "The title is blank", { hint: "Write it on the first line" });
  const at = lines.findIndex((line) => line.trim().toLowerCase() === ACCEPTANCE.toLowerCase());
  const rest = at < 0 ? lines : lines.slice(0, at);
  const found = rest.findIndex((line) => line.trim() !== "");
  const [, told] = /^Priority:\s*(.*)$/i.exec(rest[found]?.trim() ?? "") ?? [];
  if (told !== undefined && !/^-?\d{1,9}$/.test(told)) {
    throw new RalphError("data", `The priority ${JSON.stringify(told)} is not a whole number`, {
      hint: "Write Priority: 2",
    });
  }
  const description = (told === undefined ? rest : rest.slice(found + 1)).join("\n").trim();
  const items = at < 0 ? [] : lines.slice(at + 1).map((line) => line.replace(/^\s*[-*]\s+/, "").trim());
  const acceptance = items.filter((item) => item !== "");
  return {
    ...(title !== task.title && { title }),
    ...(description !== task.description.trim() && { description }),
    ...(told !== undefined && Number(told) !== task.priority && { priority: Number(told) }),
    ...(acceptance.join("\n") !== task.acceptance.join("\n") && { acceptance }),
  };
}
