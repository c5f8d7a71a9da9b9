import type { Seen, TortureCase } from "./case.ts";
import { CASES, GROUPS } from "./cases.ts";
import type { ClaimCase, Ends } from "./claims/claim-case.ts";
import { CLAIM_GROUPS, CLAIMS } from "./claims/claims.ts";
import { KNOWN_OPEN } from "./claims/known-open.ts";

/** docs/torture.md, generated from the cases. */
export const torturePage = (): string => `<!-- Written by \`npm run docs\` from the cases in test/torture. -->
# Torture

How ralphctl behaves when agents misbehave and machines fail: ${CASES.length + CLAIMS.length} cases. ${CLAIMS.length} of them are [claims](#claims) of agents that
cheat, or that work honestly in an unusual way.

Each case runs the built program with our own \`claude\` on the PATH. It prints the output format of Claude Code or, in cases
that end in \`-plain\`, plain text for the harness \`command\`. A case compares everything observable as one value: exit codes,
outcomes of iterations, states of tasks, commits, messages, and that **no process is left**. It finds processes by a marker
in their environment. Cases of several lanes play scripted agents; they also compare that each landed tree is proven, that each
task landed once, and that no ref is broken.

\`\`\`sh
npm run torture              # all cases, with a table; exits with 1 if one fails
npm run torture NAME …       # only these cases
npm run torture -- --sandbox bwrap   # with agents and gates in a sandbox
npm test                     # includes the fast cases
RALPH_SLOW=1 npm test        # includes the slow cases
\`\`\`

If a machine can't run a case, for example because it can't mount a small disk, the case is skipped and the table says why.

To add a case, add an entry to a list in \`test/torture/*-cases.ts\`, and a behaviour to \`test/torture/agent.mjs\` if it needs
one. Then run \`npm run docs\`.

${Object.entries(GROUPS)
  .map(([title, cases]) => `## ${title}\n\n${tableOf(cases)}`)
  .join("\n\n")}

## Claims

In each of these cases an agent edits a small repository and claims that its task is done. A cheat must not come out as proven
or unbroken; honest work must not be rejected. Each case also runs the gates in a fresh clone, with the base's checks and the
agent's sources, to know the truth: red for cheats, green for honest work. Afterwards the person's files, index, stash,
branches, hooks and settings must be as they were. \`npm test\` plays some of these cases, and \`npm run test:full\` all.

To add a case, add an entry to a list in \`test/torture/claims/*-claims.ts\`; \`test/torture/claims/claim-case.ts\` says how.

| what comes out | meaning |
|---|---|
| proven, unbroken | It landed with this word: see [What proven means](guides/proof.md) |
| fine | It landed as proven or unbroken |
| look | It landed, and the run exits with 5 until a person has looked |
| asked | It waits for a person: may it change how proof is done, or what runs on their machine? |
| parked | It waits for a person's answer to another question |
| rejected | It goes back to the agent |

${Object.entries(CLAIM_GROUPS)
  .map(([title, cases]) => `### ${title}\n\n${claimTable(cases)}`)
  .join("\n\n")}

## Limit: processes it can't find

ralphctl ends a process if it is in the agent's process group or has our marker in its environment. It can't find a process
that has left the group **and** lost the marker, unless the session has a process namespace: in a sandbox of bubblewrap, or
as root on Linux (\`processes.namespace\`). There, all processes end with the session. Elsewhere such a process keeps running
after the run. There are two kinds:

- programs started with an empty environment (\`env -i\`)
- programs that write their title over their environment, as some servers do: \`nginx\`, PostgreSQL and Redis as daemons, and
  anything that calls \`setproctitle\`

Their parent is gone and they have their own session, so an unprivileged program on Linux or macOS can't see where they come
from. The run does not wait for them, even if they hold the output open (\`stdout-held-unmarked\`), and its result is not
affected. If your agents start such servers, use \`--sandbox\`, set \`processes.namespace\` to \`on\`, or stop them with a
hook.

## Other tests

The end-to-end tests of the loop cover attacks on claims, gates, git and tasks:

| what | where |
|---|---|
${ELSEWHERE.map(([what, files]) => `| ${what} | ${files.map(linkTo).join(", ")} |`).join("\n")}
`;

/** Both variants of a case share a row if the same must follow. */
function tableOf(cases: readonly TortureCase[]): string {
  const names = new Map<string, string[]>();
  for (const one of cases) {
    const remarks = [one.slow && `slow: ${one.slow}`, one.needs && `needs ${one.needs.what}`].filter(Boolean);
    const row = [one.about, one.required, endOf(one.expected), one.proves, remarks.join("; ")].join(" | ");
    names.set(row, [...(names.get(row) ?? []), `\`${one.name}\``]);
  }
  const rows = Array.from(names, ([row, all]) => `| ${all.join(" ")} | ${row} |`);
  return `| case | what happens | what must follow | exit: iterations | proves | remarks |\n|---|---|---|---|---|---|\n${rows.join("\n")}`;
}

function claimTable(cases: readonly ClaimCase[]): string {
  const rows = cases.map(({ name, colour, about, place, ends, proves }) => {
    const open = KNOWN_OPEN[name] === undefined ? "" : ` (not yet: ${KNOWN_OPEN[name]})`;
    return `| ${colour} | ${about.replaceAll("|", "\\\\|")} | ${place} | ${wordOf(ends)}${open} | ${proves} |`;
  });
  return `| | what the agent does | where | what must come out | proves |\n|---|---|---|---|---|\n${rows.join("\n")}`;
}

const wordOf = ({ words }: Ends): string => (words.length === 2 ? "fine" : words.join(" or "));

const endOf = ({ codes, outcomes }: Seen): string => `${codes.join(", ")}: ${outcomes.join(", ") || "none"}`;

/** Without a folder: below test/e2e. */
export const fileOf = (name: string): string => `${name.includes("/") ? name : `test/e2e/${name}`}.test.ts`;

const linkTo = (name: string): string => `[${name}](../${fileOf(name)})`;

/** Rules without cases of both colours above are named by a row, and by tests of its files. */
export const ELSEWHERE: readonly (readonly [what: string, files: readonly string[]])[] = [
  ["honest work, lies, junk commits, nothing changed, no progress", ["run-claims"]],
  ["echoes, quoted and negated sigils, wrong ids, promises", ["run-sigils.full", "run-claude.full"]],
  ["a claim, then a non-zero exit, a signal, a hang", ["run-endings.full"]],
  ["gates, configuration and protected files that a session edits", ["run-gates-edited.full"]],
  ["`.ralph/` and the database deleted, damaged or edited; `git clean -fdx`", ["run-store-attacked.full"]],
  ["history rewritten, branches switched, locks and merges left behind in a lane", ["lanes-damage.full"]],
  [
    "a merge or rebase interrupted by a kill, a person's own merge, a person's commit",
    ["lanes-damage.full", "lanes-person.full", "run-after-kill"],
  ],
  ["secrets, large, ignored and nested files, conflict markers", ["run-commit"]],
  ["a failed task, and unproven work that is kept and continued", ["lanes-keep"]],
  ["`ralphctl` called from inside a session, sixty tasks added", ["run-channels", "run-store-attacked.full"]],
  ["detached HEAD, no commit, merge in progress, submodule, dirty tree", ["run-start"]],
  ["usage limits, outages, refused logins", ["run-limits", "run-agents.full"]],
  ["signals, `stop`, `pause`, output that nobody reads", ["run-stop.full", "run-stop-words"]],
  ["background servers, `processes.keep`, a task taken over by another", ["run-leftovers.full"]],
  ["T-04 verdicts that name their tree, gates and environment, and are recomputed", ["run-evidence", "verify"]],
  ["T-12 checks that an agent wrote, in later runs and after approval", ["agent-gates.full"]],
  ["T-13 parents with gates, and children that an agent adds", ["parents"]],
  ["T-14 instruction files, which the reviewer reads as the base has them", ["src/loop/review"]],
  ["T-23 a session that claims other tasks, or the whole scope", ["together"]],
  ["T-24 the classic loop, and its work at a limit", ["classic-loop"]],
  ["T-30 work that decays: which commit broke it", ["verify-all", "verify-all.full"]],
  ["T-31 L-29 the final check of a run", ["final-check"]],
  ["L-22 a proof that was under way when the run died", ["run-after-kill", "crash-points.full", "person-plays.full"]],
  ["L-24 L-25 a branch that follows, and a person who moves it", ["land", "lanes-person.full", "lanes-accidents.full"]],
  ["L-27 marks in plan files", ["run-order"]],
  ["L-28 work that landed on another branch", ["lanes-elsewhere"]],
  ["L-41 lanes of dead runs", ["lanes-accidents.full", "lanes-damage.full", "lanes-command.full"]],
  ["a kill at each write, and `run` again", ["crash-points.full", "crash-points.slow", "run-after-kill"]],
];
