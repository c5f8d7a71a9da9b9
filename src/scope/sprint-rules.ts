import * as z from "zod/mini";
import { byPosition, placedSentence, writtenKey } from "../domain/data-problem.ts";
import { parseDuration } from "../domain/duration.ts";
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
  mode: z.literal("ralph", "must be `ralph`\nWrite `mode: ralph`, or remove the line and list phases"),
  "goal-prompt": text,
  "reflection-prompt": text,
  "idle-threshold": count,
  "min-iterations": count,
  "max-iterations": countOrNone,
  // The rules of the configuration hold for hooks; the run checks them.
  "per-iteration-hooks": z.unknown(),
};

const MAPPING = "must be a mapping of keys to values";

const gate = z.union(
  [
    z.custom((value) => typeof value === "string" && isText(value)),
    strictMapping(
      {
        run: text,
        timeout: z.optional(
          z.custom(
            (value) => isText(value) && parseDuration(value) !== undefined,
            "must be a duration\nWrite it like 30s, 5m or 1m30s",
          ),
        ),
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
  },
  `must be a mapping with id and prompt\n${EACH}`,
);

const phases = z
  .array(phase, `must be a list of phases\n${EACH}`)
  .check(z.minLength(1, `must name at least one phase\n${EACH}`));

const workflow = z.partial(strictMapping({ ...common, phases }, MAPPING));

const sprint = z.partial(
  strictMapping(
    { ...common, "sprint-id": text, title: text, workflow: text, goal: text, created: z.unknown() },
    MAPPING,
  ),
);

/** The problems in SPRINT.yaml or a workflow, in the order of the file, each with its place. */
export function problemsIn(file: YamlFile, kind: "sprint" | "workflow"): DataProblem[] {
  const problems = findProblems(kind === "sprint" ? sprint : workflow, file.data, {
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
