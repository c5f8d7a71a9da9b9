/** The part of docs/reference/json.md about the output of each command. */
export const JSON_OUTPUTS = `## Output of each command

| command | output |
|---|---|
| \`task list\`, \`task ready\` | a list of tasks, one per line |
| \`task tree\` | the same, each with its \`depth\`, from 0 |
| \`task show\` | a task, with \`dependents\` (ids of tasks that need it), [\`attemptLog\`](#attemptlog) and \`log\` |
| \`task log\` | the list of log entries: \`at\`, \`by\`, \`kind\`, \`text\` |
| \`task graph\` | \`tasks\` (\`id\`, \`title\`, \`state\`, \`scope\`, \`parent\`) and \`edges\` (\`from\` the needed task \`to\` the one that needs it) |
| \`task dep list\` | \`id\`, \`needs\` and \`dependents\` |
| \`task add\`, \`edit\`, \`done\`, \`fail\`, \`reset\`, \`park\`, \`answer\`, \`drop\`, \`log --add\`, \`dep add\`, \`dep rm\` | each changed task in its new state, one per line |
| \`task rm\` | each removed task in its last state, with \`removed\`: how many tasks went, including itself |
| \`run\`, \`logs\` | events, one per line: [events.md](events.md) |
| \`doctor\` | the list of findings: \`level\` (\`ok\`, \`warning\`, \`problem\`), \`check\`, \`message\`, \`fix\` |
| \`undo\` | \`result\` (\`reverted\`, \`moved\`, \`followed\`, \`nothing\`, \`refused\`, \`cancelled\`), \`subject\`, \`plan\` (\`taken\`, or \`stays\` if the run wrote one), \`tasks\` (\`id\`, \`title\`), \`taken\` (commits), \`commits\` (those that take them back), \`head\`, \`kept\` (the ref), \`dependents\`, \`branch\`, \`ref\`; if something is in the way, \`why\`, \`remedy\` and \`steps\` |

The other commands print larger objects:

### \`verify\`

- \`version\`, \`verdict\` (\`verified\`, \`failed\`, \`interrupted\`), \`place\` (\`tree\`, \`checkout\`)
- \`tree\` and \`commit\`: what it checked
- \`task\`: an id
- \`setup\`: a gate, or null
- \`gates\`: each with \`id\`, \`kind\` (\`task\`, \`workspace\`, \`command\`), \`command\`, \`passed\`, \`runs\`, \`durationMs\`, \`end\` and
  \`output\` (the end of it)
- \`notices\`
- \`recorded\`: the last verification of the task, or null: \`run\`, \`iteration\`, \`at\`, \`tree\`, \`commit\`, and \`gates\` with \`id\`,
  \`kind\`, \`command\` and \`passed\`

### \`verify --all\`

- \`version\`, \`verdict\` (\`holds\`, \`broken\`, \`interrupted\`)
- \`tree\` and \`commit\`: what it checked; \`since\`: a commit, or null
- \`tasks\`: how many are done; \`checks\`: how many gates ran
- \`findings\`: each with \`gate\`, \`kind\`, \`command\`, \`task\` (an id, or null), \`finding\` (\`broken\`, \`one of\`, \`inherited\`,
  \`surroundings\`, \`flaky\`, \`unchecked\`, \`known\`, \`not searched\`), \`commit\` (or null), \`candidates\` and \`skipped\` (commits:
  \`id\`, \`author\`, \`subject\`), \`culprit\` (a task's id, or null), \`action\` (\`reopened\`, \`open\`, \`again\`, \`proposed\`,
  \`none\`), \`proposal\` (a command, or null), \`text\` and \`output\`
- \`elsewhere\`: ids of tasks that landed, but not in the history of HEAD: they were not checked
- \`notices\`

### \`status\`

- \`version\`, \`at\`, \`folder\`, \`scope\` (null: all)
- \`running\`: \`run\`, \`scope\`, \`pid\`, \`host\`, \`folder\`, \`startedAt\`, \`lastAt\`, \`idleMs\`, \`mode\`, \`lane\` (the first),
  \`lanes\` (how many may work at once), \`limits\`, \`iterations\` (those under way, each with its \`lane\`), \`iteration\` (the
  newest of them), \`rooms\` (the numbers of the iterations in rooms), \`room\` (the
  first of them), \`estimate\` (null: too early; \`tasks\` it is made
  from, \`endsAt\` and \`costUsd\` of the whole run, each \`from\` and \`to\`, and \`isCostPartial\`), \`waiting\` (\`for\`, \`until\`), \`asked\` (\`stop\`, \`pause\`: what you asked of it), \`commits\`,
  \`costUsd\`, \`isCostPartial\`, \`tokens\`
- \`last\`: the newest finished run: \`run\`, \`scope\`, \`lastAt\`, \`ending\`, \`reason\`, \`costUsd\`, \`tokens\`
- \`tasks\`: for each scope counts by status, \`ready\` and \`blocked\`, without parents
- \`next\`, \`waiting\`, \`failed\`: the first tasks that are ready, wait for a person, or failed
- \`held\`: tasks in progress, with \`isHolderAlive\`
- \`found\`: before the first run, what was there already (\`name\`, \`what\`) and how it is used (\`use\`)
- \`context\`: what people added for agents: \`scope\`, \`text\`
- \`costUsd\`, \`tokens\`, \`runs\`: totals of all stored runs

### \`run --status\`

- \`version\`, \`scope\`
- \`run\`: the newest run; null: none. The fields below describe it.
- \`state\` (\`running\`, \`finished\`, \`ended\`), \`startedAt\`, \`lastAt\`, \`mode\`, \`harness\`, \`branch\`, \`lane\`, \`lanes\`, \`ending\`,
  \`reason\`, \`waiting\`
- \`tasks\` (counts), \`commits\`, \`costUsd\`, \`isCostPartial\`, \`isCostEstimated\`, \`tokens\`, \`iterations\`, \`notices\`, \`kept\`

### \`project list\`, \`change list\`

A list of scopes:

- \`name\`, \`scope\`, \`folder\`
- \`state\`: \`ready\`, \`plan\` (has specs but no tasks), \`running\`, \`waiting\` for a person, \`blocked\`, \`failed\`, \`done\`, \`empty\`
- \`tasks\`: counts by status, \`ready\` and \`blocked\`, without parents; null: none
- \`problems\`

### \`inspect\`

A list of sessions:

- \`run\`, \`iteration\`, \`scope\`, \`mode\`, \`task\` (\`id\`, \`title\`), \`harness\`, \`model\`, \`lane\`
- \`startedAt\`, \`endedAt\`, \`outcome\`, \`commit\`, \`costUsd\`, \`tokens\`, \`folder\`
- \`session\`: the agent's own id
- \`reopen\`: the arguments of the command that reopens it

### \`inspect RUN\`

- \`version\`, \`kind\` (\`run\`), and the fields of a run in \`run --status\`
- \`iterations\`: sessions as in \`inspect\`, each with \`why\`
- \`waits\`: \`for\`, \`from\`, \`to\`
- \`checks\`: \`check\`, \`lane\` (null: of the run), \`at\`, \`red\`

### \`inspect ITERATION\`

- \`version\`, \`kind\` (\`iteration\`), and the fields of a session in \`inspect\`
- \`why\`, \`counted\`, \`status\`, \`reason\`, \`question\`, \`isEstimated\`, \`isCostPartial\`, \`ended\`, \`stopped\`
- \`claims\`: \`claim\`, \`channel\`
- \`notes\`
- \`tools\`: number of calls of each
- \`gates\`: \`gate\`, \`command\`, \`passed\`, \`end\`, \`runs\`, \`durationMs\`, \`output\`, \`file\`
- \`verdict\`: \`verdict\`, \`reasons\`, \`tree\`
- \`changed\`: \`files\`, \`paths\`
- \`patch\`: \`file\`, and \`files\` with \`path\`, \`added\`, \`removed\`, \`isBinary\`
- \`commits\`
- \`prompt\`, \`transcript\`: files

### \`inspect TASK\`

- \`version\`, \`kind\` (\`task\`), \`task\`
- \`attempts\`: entries of [\`attemptLog\`](#attemptlog), each with \`record\`, its iteration as in \`inspect ITERATION\` (null: deleted)

### \`attemptLog\`

Every claim of a task: \`fence\` (the number of the claim), \`run\`, \`iteration\`, \`owner\`, \`startedAt\`, \`endedAt\`, \`outcome\`,
\`counted\`, \`reason\`, \`costUsd\`, \`tokens\`, \`session\`, \`verdict\` and \`details\`.
`;
