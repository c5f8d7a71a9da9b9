import type { Seen, TortureCase } from "./case.ts";
import { GROUPS } from "./cases.ts";

/** docs/torture.md, made from the cases. */
export const torturePage = (): string => `<!-- Written by \`npm run docs\` from the cases in test/torture. -->
# Torture

What is done to ralphctl by agents that misbehave and by machines on which things go wrong, and what must come of it.
Each case drives the built program, with a \`claude\` on the PATH that is ours: it speaks in lines of Claude Code, or, in
the cases that end in \`-plain\`, prints plain text through the harness \`command\`. All that can be seen is compared as one
value: exit codes, outcomes of iterations, states of tasks, commits, what the run said, and that **no process is left**,
found by a mark in its environment.

\`\`\`sh
npm run torture              # all of them, and a table; ends with 1 if one fails
npm run torture NAME …       # only these
npm test                     # contains those that are fast
RALPH_SLOW=1 npm test        # contains those that are slow
\`\`\`

What a machine cannot do (mount a small disk, say) is skipped, and the table says why. To add a case, add an entry to a
list in \`test/torture/*-cases.ts\`, and a behaviour to \`test/torture/agent.mjs\` if it needs one; then \`npm run docs\`.

${Object.entries(GROUPS)
  .map(([title, cases]) => `## ${title}\n\n${tableOf(cases)}`)
  .join("\n\n")}

## What is not found

A process is ended when it is in the agent's process group, or carries our mark in its environment. One that has left the
group **and** has no mark any more is not found, and lives on after the run: a program that was started with an empty
environment (\`env -i\`), or one that writes its title over its environment, as some servers do (\`nginx\`, PostgreSQL and
Redis as daemons, anything that calls \`setproctitle\`). By then its parent is gone, it has a session of its own, and
nothing that a program without special rights can see on Linux or macOS says where it came from. The run does not wait
for it, even if it holds the output open (\`stdout-held-unmarked\`), and its result is not affected. Where agents start
such servers, let a hook stop them, or run ralphctl in a container that ends with it.

## Proven elsewhere

What agents do to claims, gates, git and tasks is tried in the end-to-end tests of the loop:

| what | where |
|---|---|
${ELSEWHERE.map(([what, files]) => `| ${what} | ${files.map(linkTo).join(", ")} |`).join("\n")}
`;

/** A case in both voices is one row, where the same must come of both. */
function tableOf(cases: readonly TortureCase[]): string {
  const names = new Map<string, string[]>();
  for (const one of cases) {
    const remarks = [one.slow && `slow: ${one.slow}`, one.needs && `needs ${one.needs.what}`].filter(Boolean);
    const row = [one.about, one.required, endOf(one.expected), one.proves, remarks.join("; ")].join(" | ");
    names.set(row, [...(names.get(row) ?? []), `\`${one.name}\``]);
  }
  const rows = Array.from(names, ([row, all]) => `| ${all.join(" ")} | ${row} |`);
  return `| case | what is done | what must come of it | exit: iterations | proves | remarks |\n|---|---|---|---|---|---|\n${rows.join("\n")}`;
}

const endOf = ({ codes, outcomes }: Seen): string => `${codes.join(", ")}: ${outcomes.join(", ") || "none"}`;

const linkTo = (file: string): string => `[${file}](../test/e2e/${file}.test.ts)`;

const ELSEWHERE: readonly (readonly [what: string, files: readonly string[]])[] = [
  ["honest work, lies, junk commits, nothing changed, no progress", ["run-claims"]],
  ["echoes, quoted and negated sigils, wrong ids, promises", ["run-sigils", "run-claude"]],
  ["a claim, then a non-zero exit, a signal, a hang", ["run-endings"]],
  ["gates, configuration and protected files that a session edits", ["run-gates-edited"]],
  ["`.ralph/` and the database deleted, damaged or edited; `git clean -fdx`", ["run-store-attacked"]],
  ["history rewritten, branches switched, locks and merges left behind", ["run-history-attacked"]],
  ["a merge or rebase cut off by a kill, a person's own, a person's commit", ["run-cut-merge", "run-after-kill"]],
  ["secrets and large files in commits", ["run-commit"]],
  ["a failed task, and what becomes of its work", ["run-set-aside"]],
  ["`ralphctl` called from inside a session, sixty tasks added", ["run-channels", "run-store-attacked"]],
  ["detached HEAD, no commit, merge in progress, submodule, dirty tree", ["run-start"]],
  ["usage limits, outages, refused logins", ["run-limits", "run-agents"]],
  ["signals, `stop`, `pause`, output that nobody reads", ["run-stop", "run-stop-words"]],
  ["background servers, `processes.keep`, a task taken over by another", ["run-leftovers"]],
  ["a kill at each write, and `run` again", ["crash-points", "crash-points.slow", "run-after-kill"]],
];
