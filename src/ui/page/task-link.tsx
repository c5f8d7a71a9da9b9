import { printableLine } from "../../domain/printable.ts";
import { hrefOf } from "./route.ts";

/** A task by its id and title; it opens the task. Titles may be of any language and length. */
export const TaskLink = ({ id, title }: { readonly id: string; readonly title: string }) => (
  <a class="task" href={hrefOf("task", id)} title={printableLine(title)} data-row>
    <span class="id">{printableLine(id)}</span> <bdi class="title">{printableLine(title)}</bdi>
  </a>
);
