import type { InitPlan } from "../app/init.ts";
import type { InitSettings } from "../app/init-settings.ts";
import type { InitSurvey } from "../app/init-survey.ts";
import { gateName } from "../domain/gate-name.ts";
import { explained } from "../format/init-files.ts";
import type { Io } from "./io.ts";

/** Whether it is about the person's folder only. Undefined when the person cancels. */
export async function askPart({ top, part }: InitPlan, io: Io): Promise<boolean | undefined> {
  if (part === undefined) return false;
  const answer = await io.choose(`${part} is a part of the repository ${top}. What should agents work on?`, [
    { value: "whole", label: "The whole repository" },
    { value: "here", label: `Only ${part}: its own tasks, specs and checks` },
  ]);
  return answer === undefined ? undefined : answer === "here";
}

/** The questions of `init`, each with a good default. Undefined when the person cancels. */
export async function askSettings(survey: InitSurvey, io: Io): Promise<InitSettings | undefined> {
  const harness = await io.choose("Which agent should do the work?", [
    ...survey.found.map((name) => ({ value: name, label: name })),
    ...survey.others.map((name) => ({ value: name, label: `${name} (not found on PATH)` })),
  ]);
  if (harness === undefined) return undefined;
  const chosen = await askGates(survey, io);
  if (chosen === undefined) return undefined;
  const specs = await io.askText("Which folder has the specifications?", { initial: survey.specs, fault });
  return specs === undefined ? undefined : { harness, gates: chosen.gates, specs: tidy(specs) };
}

type Gates = Pick<InitSettings, "gates">;

/** By default the detected gates are used, now and later. */
async function askGates({ gates, uncovered }: InitSurvey, io: Io): Promise<Gates | undefined> {
  const ofCi: { readonly id: string; readonly run: string }[] = [];
  for (const { run } of uncovered) ofCi.push({ id: gateName(run, idsOf([...gates, ...ofCi])), run });
  if (gates.length + ofCi.length === 0) return await askCommands(io, { gates: undefined }, FIRST);
  const found = gates.map(({ run }) => `\n  ${run}`).join("");
  const more = ofCi.length === 0 ? "" : `\nCI also runs:${ofCi.map(({ run }) => `\n  ${run}`).join("")}`;
  const answer = await io.choose(`Which checks prove that work is done? Found here:${found}${more}`, [
    ...(gates.length === 0 ? [] : [{ value: "auto", label: "These, and any added later" }]),
    ...(ofCi.length === 0 ? [] : [{ value: "ci", label: "These, and those of CI" }]),
    { value: "own", label: "Some of these, or other commands" },
    { value: "none", label: "None: nothing counts as proven until I add one" },
  ]);
  if (answer === undefined) return undefined;
  if (answer === "none") return { gates: [] };
  if (answer === "auto") return { gates: undefined };
  const all = [...gates, ...ofCi];
  if (answer === "ci") return { gates: all };
  const options = all.map(({ id, run }) => ({ value: id, label: run }));
  const kept = await io.chooseMany("Which of them?", options);
  if (kept === undefined) return undefined;
  return await askCommands(io, { gates: all.filter(({ id }) => kept.includes(id)) }, OTHER);
}

const idsOf = (gates: readonly { readonly id: string }[]): string[] => gates.map(({ id }) => id);

const FIRST = "No checks found. Which command proves that work is done? (Enter: decide later)";
const OTHER = "Another command? (Enter: none)";
const MORE = "One more? (Enter: no more)";

async function askCommands(io: Io, { gates }: Gates, question: string): Promise<Gates | undefined> {
  const run = (await io.askText(question, { example: "make check" }))?.trim();
  if (run === undefined) return undefined;
  if (run === "") return { gates };
  const before = gates ?? [];
  const taken = before.map((gate) => gate.id);
  return await askCommands(io, { gates: [...before, { id: gateName(run, taken), run }] }, MORE);
}

function fault(text: string): string | undefined {
  const folder = tidy(text);
  if (folder === "") return "Name a folder";
  const leaves = folder.startsWith("/") || folder.startsWith("~") || folder.split("/").includes("..");
  return leaves ? "Name a folder in this repository, such as docs/specs" : undefined;
}

const tidy = (text: string): string =>
  text
    .trim()
    .split("/")
    .filter((part, index) => part !== "." && (part !== "" || index === 0))
    .join("/");

/** The last question before writing. Undefined when the person cancels. */
export async function askWhetherToWrite(
  { files, uncommitted }: InitPlan,
  io: Io,
): Promise<"commit" | "write" | undefined> {
  const written = files.filter(({ outcome }) => outcome !== "kept").map(({ path }) => path);
  if (written.length === 0 && uncommitted.length === 0) return "write";
  const isOld = written.length === 0;
  const list = explained(isOld ? uncommitted : written)
    .map((line) => `\n  ${line}`)
    .join("");
  const question = isOld ? `Commit the files from an earlier init?${list}` : `Write these files?${list}`;
  const answer = await io.choose(question, [
    ...(uncommitted.length > 0 ? [{ value: "commit", label: isOld ? "Yes" : "Yes, and commit them" }] : []),
    { value: "write", label: isOld ? "No" : "Yes, without a commit" },
    ...(isOld ? [] : [{ value: "no", label: "No, write nothing" }]),
  ]);
  return answer === "commit" || answer === "write" ? answer : undefined;
}
