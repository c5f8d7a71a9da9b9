import type { TextProblem, Speech } from "../domain/data-problem.ts";
import { findProblems } from "../system/check-data.ts";
import { configKeys } from "./keys.ts";
import { configSchema } from "./schema.ts";

/** What is wrong with a tree of the configuration, in plain sentences; empty when nothing is. */
export const configProblems = (tree: unknown, speech: Speech): TextProblem[] =>
  findProblems(configSchema, tree, {
    ...speech,
    whole: "The configuration",
    hints: {
      value: (rule, value) =>
        rule.includes("text") && ["number", "boolean"].includes(typeof value)
          ? "Put quotes around it"
          : "Correct the value; `ralphctl config schema` describes every key",
      key: () => "Remove it; `ralphctl config schema` lists every key",
    },
    // A key of that very name in another group: `cost` at the top was meant as `limits.cost`.
    meantAs: (name) =>
      configKeys()
        .find(({ path, variable }) => path.at(-1) === name && variable !== undefined)
        ?.path.join("."),
  });
