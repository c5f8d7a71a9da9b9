import * as z from "zod/mini";
import { byPosition, placedSentence, writtenKey } from "../domain/data-problem.ts";
import { parseDuration } from "../domain/duration.ts";
import { isMapping, type Mapping } from "../domain/mapping.ts";
import { type DataProblem, findProblems, strictMapping } from "../system/check-data.ts";
import { isText, type YamlFile } from "./yaml-file.ts";

// Each message is a rule, and in its second line a hint.

const text = z.custom(isText, "must be text that is not empty\nWrite the text after the colon");

const COUNT = "must be a whole number of at least 1\nWrite a number such as 3";
const count = z.int(COUNT).check(z.gte(1, COUNT));

const MOST = "must be a whole number; 0 means no limit\nWrite a number such as 30";
const countOrNone = z.int(MOST).check(z.gte(0, MOST));

const common = {
  name: text,
  description: text,
  mode: z.enum(["ralph", "standard"], "must be `ralph`\nWrite `mode: ralph`, or remove the line and list phases"),
  "goal-prompt": text,
  "reflection-prompt": text,
  "idle-threshold": count,
  "min-iterations": count,
  "max-iterations": countOrNone,
  // The rules of the configuration hold for hooks; the run checks them.
  "per-iteration-hooks": z.unknown(),
};

const MAPPING = "must be a mapping of keys to values";
const mapping = z.looseObject({}, MAPPING);

const duration = z.custom(
  (value) => isText(value) && parseDuration(value) !== undefined,
  "must be a duration\nWrite it like 30s, 5m or 1m30s",
);

/** Of m42: the same settings in groups. */
const groups = {
  config: z.partial(
    z.looseObject(
      { "max-iterations": z.union([countOrNone, z.literal("unlimited"), z.null()], MOST), "time-box": duration },
      MAPPING,
    ),
  ),
  ralph: z.partial(z.looseObject({ "idle-threshold": count, "min-iterations": count }, MAPPING)),
};

/** Of m42: what a run does another way, or has no use for. */
const others = { "schema-version": z.unknown(), model: text, worktree: mapping };

const gate = z.union(
  [
    z.custom((value) => typeof value === "string" && isText(value)),
    strictMapping(
      {
        run: text,
        timeout: z.optional(duration),
      },
      MAPPING,
    ),
  ],
  "must be a command, or `{ run, timeout }`\nWrite `gate: COMMAND`",
);

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const ID_RULE =
  "must be a name of 1 to 64 letters, digits, dots, underscores or hyphens\nWrite an id such as `prepare`";

const EACH = "Write `- id: prepare` and `prompt: …` for each";
const phase = strictMapping(
  {
    id: text.check(z.refine((id) => ID.test(String(id)), ID_RULE)),
    prompt: text,
    name: z.optional(text),
    description: z.optional(text),
    gate: z.optional(gate),
    "for-each": z.optional(text),
    collection: z.optional(text),
    workflow: z.optional(text),
    model: z.optional(text),
    parallel: z.optional(z.unknown()),
    "wait-for-parallel": z.optional(z.unknown()),
    break: z.optional(z.unknown()),
  },
  `must be a mapping with id and prompt\n${EACH}`,
);

const phases = z
  .array(phase, `must be a list of phases\n${EACH}`)
  .check(z.minLength(1, `must name at least one phase\n${EACH}`));

const workflow = z.partial(strictMapping({ ...common, phases, ...groups, ...others, orchestration: mapping }, MAPPING));

const ITEM = "Write `- prompt: …` for each";
const item = z.union(
  [
    z.custom((value) => typeof value === "string" && isText(value)),
    z.looseObject(
      {
        prompt: text,
        id: z.optional(text.check(z.refine((id) => ID.test(String(id)), ID_RULE))),
        workflow: z.optional(text),
        "depends-on": z.optional(z.union([text, z.array(text)], "must be an id, or a list of ids\nWrite `[step-0]`")),
      },
      `must be a mapping with prompt\n${ITEM}`,
    ),
  ],
  `must be a prompt, or a mapping with prompt\n${ITEM}`,
);
const items = z.union([z.array(item, `must be a list of items\n${ITEM}`), z.null()], `must be a list\n${ITEM}`);

const sprint = z.partial(
  strictMapping(
    {
      ...common,
      "sprint-id": text,
      title: text,
      workflow: text,
      goal: text,
      created: z.unknown(),
      collections: z.record(z.string(), items, MAPPING),
      steps: items,
      owner: z.unknown(),
      ...groups,
      ...others,
    },
    MAPPING,
  ),
);

/** The problems in SPRINT.yaml or a workflow, in the order of the file, each with its place. */
export function problemsIn(file: YamlFile, kind: "sprint" | "workflow"): DataProblem[] {
  const data = kind === "sprint" ? file.data : inOurWords(file.data);
  const problems = findProblems(kind === "sprint" ? sprint : workflow, data, {
    nameOf: writtenKey,
    locate: file.locate,
    whole: file.file,
    hints: { value: () => "Correct it", key: (known) => `Use only: ${known.join(", ")}` },
  });
  return problems.sort(byPosition).map((problem) => ({
    sentence: placedSentence(problem, file.file),
    hint: problem.hint,
    isUnknownKey: problem.isUnknownKey,
  }));
}

/** Phases that have their prompt from an item or from another workflow, and the gates of m42, as those of ours. */
function inOurWords(data: Mapping): Mapping {
  const list: unknown = data["phases"];
  return Array.isArray(list) ? { ...data, phases: list.map(phaseInOurWords) } : data;
}

function phaseInOurWords(phase: unknown): unknown {
  if (!isMapping(phase)) return phase;
  const { prompt = isElsewhere(phase) ? "elsewhere" : undefined, gate: written, ...rest } = phase;
  const isForeign = isMapping(written) && written["script"] !== undefined;
  return {
    ...rest,
    ...(prompt !== undefined && { prompt }),
    ...(written !== undefined && { gate: isForeign ? { run: written["script"] } : written }),
  };
}

const isElsewhere = (phase: Mapping): boolean => phase["for-each"] !== undefined || phase["workflow"] !== undefined;
