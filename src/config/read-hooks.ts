import type { KeyPath, TextProblem, Speech } from "../domain/data-problem.ts";
import type { Config } from "./config.ts";
import { configProblems } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { freeze } from "./tree.ts";

/** A list of hooks from another file than the configuration, by the same rules; paths in `speech` begin in that list. */
export function readHookList(data: unknown, speech: Speech): Config["hooks"] | { readonly problems: TextProblem[] } {
  const tree = { hooks: data };
  const inside = (path: KeyPath): KeyPath => path.slice(1);
  const problems = configProblems(tree, {
    nameOf: (path) => speech.nameOf(inside(path)),
    locate: (path, part) => speech.locate(inside(path), part),
  });
  return problems.length > 0 ? { problems } : freeze(configSchema.parse(tree).hooks);
}
