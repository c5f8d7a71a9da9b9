import { RalphError } from "../../domain/error.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { TaskId } from "../../domain/task.ts";
import { isDamage } from "../../store/index.ts";
import type { Problem } from "../../store/store.ts";
import { kindOf } from "../../system/folder.ts";
import { isWritable } from "../../system/store-file.ts";
import { type Caller, reading } from "../task/caller.ts";
import { findStore, type StorePlace } from "../task-store.ts";
import type { Finding } from "./finding.ts";

/** The input of the checks, gathered once: reading the whole store takes seconds at a million tasks. */
interface Facts {
  readonly place: StorePlace;
  readonly hasCopy: boolean;
  readonly isWritable: boolean;
  readonly tasks: number;
  readonly problems: readonly Problem[];
}

interface Check {
  readonly name: string;
  /** The message without findings. */
  readonly ok: (facts: Facts) => string;
  readonly find: (facts: Facts) => Omit<Finding, "check">[];
}

/** Every check there is, in the order of the report. */
const CHECKS: readonly Check[] = [
  {
    name: "database",
    ok: ({ place, tasks }) => `The task database ${place.file} is intact (${tasks} task${tasks === 1 ? "" : "s"})`,
    find: (facts) => [...damage(facts, ["integrity"]), ...closed(facts)],
  },
  {
    name: "counters",
    ok: () => "Task counters are consistent",
    find: (facts) => damage(facts, ["counter", "status", "ready", "cycle"]),
  },
  {
    name: "leases",
    ok: () => "No task is claimed by a dead process",
    find: ({ problems }) =>
      cut(problems.filter(({ kind }) => kind === "lease")).map(({ task, message, advice }) => ({
        level: "warning",
        message,
        fix: advice ?? `Free it now: ralphctl task reset ${task}`,
      })),
  },
  { name: "stuck", ok: () => "Every task can become ready", find: stuck },
];

/** Checks the tasks and their database. Read-only. */
export async function taskFindings(caller: Caller): Promise<Finding[]> {
  const facts = await gather(caller);
  if ("level" in facts) return [facts];
  return CHECKS.flatMap(({ name, ok, find }): Finding[] => {
    const found = find(facts);
    if (found.length === 0) return [{ level: "ok", check: name, message: ok(facts), fix: undefined }];
    return found.map(({ level, message, fix }) => ({ level, check: name, message, fix }));
  });
}

/** A store that does not open is a finding. */
async function gather(caller: Caller): Promise<Facts | Finding> {
  try {
    return await reading(caller, async ({ store, place }) => {
      const problems = await store.check();
      const isReadable = !problems.some(({ kind }) => kind === "integrity");
      const counts = isReadable ? await store.counts() : [];
      const tasks = counts.flatMap(({ all }) => Object.values(all)).reduce((sum, count) => sum + count, 0);
      return { place, hasCopy: await hasCopy(place), isWritable: isWritable(place.file), tasks, problems };
    });
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Only a damaged file may be moved away: on a full disk it is intact.
    const place = isDamage(error) ? await findStore(caller.cwd) : undefined;
    const fix = place === undefined ? error.hint : moveAway({ place, hasCopy: await hasCopy(place) });
    return { level: "problem", check: "database", message: error.message, fix };
  }
}

const moveAway = ({ place, hasCopy }: Pick<Facts, "place" | "hasCopy">): string =>
  `Run ${awayCommand(place)}: ${hasCopy ? `the next command then restores ${place.copy}` : "there is no copy, so all tasks are lost"}`;

const awayCommand = ({ file }: StorePlace): string => `mv ${shellWord(file)} ${shellWord(`${file}.damaged`)}`;

const hasCopy = async ({ copy }: StorePlace): Promise<boolean> =>
  copy !== undefined && (await kindOf(copy)) !== undefined;

/** A read-only database: a run would fail at its first step. */
function closed({ place, isWritable }: Facts): Omit<Finding, "check">[] {
  if (isWritable) return [];
  const message = `The task database ${place.file} is not writable`;
  return [{ level: "problem", message, fix: "Check the permissions of the file and its folder" }];
}

const MOST = 20;

const cut = (problems: readonly Problem[]): readonly Problem[] => problems.slice(0, MOST);

function damage(facts: Facts, kinds: readonly Problem["kind"][]): Omit<Finding, "check">[] {
  const fix = kinds.includes("integrity")
    ? moveAway(facts)
    : `Run ralphctl task export > tasks.jsonl && ${awayCommand(facts.place)} && ralphctl task import tasks.jsonl`;
  const found = facts.problems.filter(({ kind }) => kinds.includes(kind));
  return cut(found).map(({ message }) => ({ level: "problem", message, fix }));
}

/** One finding per task that blocks others. */
function stuck({ problems }: Facts): Omit<Finding, "check">[] {
  const waiting = new Map<TaskId, { readonly first: Problem; others: number }>();
  for (const problem of problems) {
    if (problem.cause === undefined) continue;
    const known = waiting.get(problem.cause.id);
    if (known === undefined) waiting.set(problem.cause.id, { first: problem, others: 0 });
    else known.others++;
  }
  return [...waiting].slice(0, MOST).map(([cause, { first, others }]) => ({
    level: "warning",
    message: `${first.message}${others === 0 ? "" : `; ${others} more wait for it`}`,
    fix:
      first.cause?.status === "parked"
        ? `Answer it: ralphctl task answer ${cause} TEXT`
        : `Retry it: ralphctl task reset ${cause}`,
  }));
}
