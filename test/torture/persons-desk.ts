import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { write } from "../temporary-folder.ts";

/** What their acts have at hand. */
export interface Desk {
  readonly folder: string;
  readonly random: () => number;
  readonly lines: Set<string>;
  readonly git: (...args: readonly string[]) => Promise<string | undefined>;
  readonly newLine: () => string;
}

/** By what a report calls them. */
export type Acts = readonly (readonly [string, (desk: Desk) => Promise<void>])[];

export const PLAN = "IMPLEMENTATION_PLAN.md";

export const randomBy = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const oneOf = <Value>(random: () => number, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)]!;

/** Adds a line of theirs somewhere in a file, as an editor saves it. */
export function save(desk: Desk, path: string): void {
  const line = desk.newLine();
  const file = join(desk.folder, path);
  const before = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [""];
  const at = path === PLAN ? before.length - 1 : Math.floor(desk.random() * before.length);
  write(desk.folder, { [path]: before.toSpliced(at, 0, line).join("\n") });
  desk.lines.add(line);
}

export async function commit({ git, newLine }: Desk): Promise<void> {
  await git("add", "--all");
  await git("commit", "--quiet", "--message", `Mine ${newLine()}`);
}

/** They are about to give up what they wrote into a file. */
export function forget({ folder, lines }: Desk, path: string): void {
  const file = join(folder, path);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const line of lines) if (text.includes(line)) lines.delete(line);
}
