import { RalphError } from "../domain/error.ts";
import { type Mapping, isMapping, parseMapping } from "../domain/mapping.ts";
import type { ForeignTask, TaskDatabase } from "./foreign.ts";
import { listOf, numberOf, paragraphs, timeOf, wordsOf } from "./words.ts";

/** Files of beads that hold something else than issues. */
const OTHERS = /^(?:deletions|interactions|events|routes|sync_base|wisps)\b/i;

/** The issues that beads exports: one JSON object per line. */
export const beads: TaskDatabase = {
  name: "beads",
  tool: "beads",
  kind: "text",
  matches: (path) => /(?:^|[\\/])\.beads[\\/][^\\/]+\.jsonl$/i.test(path) && !OTHERS.test(path.split(/[\\/]/).at(-1)!),
  read: (text) => {
    const tasks: ForeignTask[] = [];
    for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
      if (line.trim() === "") continue;
      const issue = parseMapping(line.replace(/^\uFEFF/, ""));
      if (issue === undefined) throw fault(index + 1, "it is not a JSON object");
      if (!isWork(issue)) continue;
      if (wordsOf(issue["id"]) === "" || wordsOf(issue["title"]) === "")
        throw fault(index + 1, "it has no id or no title");
      tasks.push(taskOf(issue));
    }
    return { tasks, notices: [] };
  },
};

const fault = (line: number, problem: string): RalphError =>
  new RalphError("data", `Line ${line} is not an issue of beads: ${problem}`, {
    hint: "Write the file anew with bd export, or resolve the merge conflict in it",
  });

/** Beads keeps messages, templates and the like among the issues. */
const isWork = (issue: Mapping): boolean =>
  !["message", "event", "gate", "agent", "role"].includes(wordsOf(issue["issue_type"])) &&
  issue["is_template"] !== true &&
  issue["ephemeral"] !== true &&
  !["tombstone", "pinned"].includes(wordsOf(issue["status"]));

function taskOf(issue: Mapping): ForeignTask {
  const links = listOf(issue["dependencies"]).filter(isMapping);
  const linked = (...types: readonly string[]): string[] =>
    links.filter(({ type }) => types.includes(wordsOf(type) || "blocks")).map((link) => wordsOf(link["depends_on_id"]));
  const criteria = wordsOf(issue["acceptance_criteria"]);
  return {
    id: wordsOf(issue["id"]),
    title: wordsOf(issue["title"]),
    description: paragraphs([
      ["", wordsOf(issue["description"])],
      ["Design", wordsOf(issue["design"])],
      ["Notes", wordsOf(issue["notes"])],
    ]),
    acceptance: criteria === "" ? [] : [criteria],
    priority: numberOf(issue["priority"]),
    tags: listOf(issue["labels"]).map(wordsOf),
    state: stateOf(wordsOf(issue["status"])),
    parent: linked("parent-child")[0],
    needs: linked("blocks", "waits-for"),
    createdAtMs: timeOf(issue["created_at"]),
  };
}

function stateOf(status: string): ForeignTask["state"] {
  if (status === "closed") return "settled";
  return status === "deferred" ? { question: "beads has it as deferred. Should it be done now?" } : "open";
}
