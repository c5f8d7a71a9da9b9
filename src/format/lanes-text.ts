import { placeName } from "../app/lanes/places.ts";
import { placeOf } from "../domain/lane-env.ts";
import type { FolderSize, ShownLanes, ShownPlace, ShownWork } from "../app/lanes/show-lanes.ts";
import { formatDuration } from "../domain/duration.ts";
import { printableLine } from "../domain/printable.ts";
import { formatSize } from "../domain/size.ts";
import { isoTime } from "../domain/task-json.ts";
import { aligned, pageOf, part } from "./page-parts.ts";
import { plural } from "./run-text.ts";

/** A page about lanes and work that has not landed. */
export function lanesText({ places, unfinished, kept, nowMs }: ShownLanes): string {
  const age = (ms: number): string => `${formatDuration(Math.max(0, nowMs - ms))} ago`;
  const none = places.length === 0 ? [["No lanes yet: the first ralphctl run makes one"]] : [];
  return pageOf([
    ...none,
    ...places.map((place) => [heading(place), ...aligned(facts(place))]),
    part("Unfinished work", unfinished, (work) => workLines(work, age(work.keptAtMs))),
    part("Saved", kept, ({ ref, subject, madeAtMs }) => printableLine(`${ref}: ${subject} (${age(madeAtMs)})`)),
  ]);
}

const heading = ({ name, use }: ShownPlace): string => {
  const text = placeName({ name });
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${USES[use]}`;
};

const USES = { used: ", in use", free: "", left: ", left by a killed run: ralphctl doctor --fix saves its work" };

const facts = ({ folder, size, branch, commit, run, task, isSetUp }: ShownPlace) =>
  [
    ["Folder", size === undefined ? `${folder} (gone; the next run makes it again)` : folder],
    ["Size", size && sizeText(size)],
    ["At", commit && `${commit.slice(0, 10)}${branch === undefined ? "" : ` on ${branch}`}`],
    ["Last run", run],
    ["Last task", task && [task.id, task.title].filter(Boolean).join(" ")],
    ["Set-up", size && (isSetUp ? "done" : "not yet")],
  ] as const;

/** What it takes on the disk. */
export function sizeText({ bytes, isAll }: FolderSize): string {
  const unit = [1024 ** 3, 1024 ** 2].find((each) => bytes >= 10 * each) ?? 1024;
  return `${isAll ? "" : "at least "}${formatSize(Math.max(1, Math.round(bytes / unit)) * unit)}`;
}

const workLines = ({ task, title, ref, files }: ShownWork, age: string): string[] => [
  printableLine(`${task} ${title ?? "(no longer a task)"} · ${plural(files, "file")} · ${age}`),
  printableLine(
    `  See it: git diff ${ref}^ ${ref}; take it: ralphctl lanes take ${task}; drop it: ralphctl lanes drop ${task}`,
  ),
];

/** The same for programs; null for missing values. */
export const lanesJson = ({ parent, places, unfinished, kept }: ShownLanes): unknown => ({
  version: 1,
  folder: parent,
  lanes: places.map(({ name, folder, size, branch, commit, run, task, use, isSetUp }) => ({
    lane: placeOf(name),
    folder,
    bytes: size?.bytes ?? null,
    isSizePartial: size?.isAll === false,
    branch: branch ?? null,
    commit: commit ?? null,
    run: run ?? null,
    task: task === undefined ? null : { id: task.id, title: task.title ?? null },
    state: use,
    isSetUp,
  })),
  unfinished: unfinished.map(({ task, title, ref, files, keptAtMs }) => ({
    task,
    title: title ?? null,
    ref,
    files,
    keptAt: isoTime(keptAtMs),
  })),
  kept: kept.map(({ ref, subject, madeAtMs }) => ({ ref, subject, madeAt: isoTime(madeAtMs) })),
});
