import type { Prepared } from "./follow-guide.ts";
import { seedFiles } from "./seed-workspace.ts";

const CLAIM = `say: "<task-done>{task}</task-done>"`;

/** Does whatever the task is, and says what it cost. */
const WORKS = `
- - run: echo "$RALPHCTL_TASK" >>done.txt
  - usage: { input: 1200, output: 300 }
  - cost: 0.02
  - ${CLAIM}
`;

/** Writes a plan of so many tasks where none is assigned: a script's session in iteration 1. */
const plans = (file: string, titles: readonly string[]): string => `
- when: { iteration: 1, prompt: "# Plan" }
  steps:
    - write: { path: "${file}", text: "${titles.map((title) => String.raw`- [ ] ${title}\n`).join("")}" }
    - usage: { input: 1200, output: 300 }
    - cost: 0.02
    - say: <promise>COMPLETE</promise>
`;

/** A repository with a check that passes, and an agent that does what it is told. */
export const USUAL: Prepared = {
  files: { Makefile: "check:\n\ttest -f README.md\n", "README.md": "# Test\n" },
  script: WORKS,
};

const IN_PROJECT = `
- - run: test -n "$RALPHCTL_TASK" || echo "- [ ] Ask for the password" >"projects/\${RALPHCTL_SCOPE#project/}/IMPLEMENTATION_PLAN.md"
  - run: test -z "$RALPHCTL_TASK" || echo "$RALPHCTL_TASK" >>done.txt
  - say: "<task-done>{task}</task-done>\\n\\n<promise>COMPLETE</promise>"
`;

const IN_SPRINT = `
- when: { prompt: "Execute this step" }
  steps:
    - run: echo x >>done.txt
    - say: "<task-done>{task}</task-done>\\n\\nRALPH_COMPLETE: They log in"
- - run: ralphctl task add --sprint sprints/login "Ask for the password"
`;

const GOES_WRONG = `
- when: { title: "Break *" }
  steps:
    - delete: README.md
    - ${CLAIM}
- when: { title: "Choose *", prompt: "Green" }
  steps:
    - write: { path: colour.txt, text: "green" }
    - ${CLAIM}
- when: { title: "Choose *" }
  steps:
    - run: ralphctl task park "$RALPHCTL_TASK" "Blue or green?"
${WORKS}`;

const GREETS = `
- when: { prompt: "broke checks that passed before" }
  steps:
    - write: { path: greeting.txt, text: "Hello!" }
    - ${CLAIM}
- when: { title: "Write it *" }
  steps:
    - write: { path: greeting.txt, text: "Hi" }
    - ${CLAIM}
- - write: { path: greeting.txt, text: "Hello, you" }
  - ${CLAIM}
`;

const NPM_PROJECT = {
  "package.json": '{ "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  "e2e.sh": "#!/bin/sh\ntest -f README.md\n",
  "README.md": "# Test\n",
  "CHANGELOG.md": "## Unreleased\n",
};

/** What single documents need beside that. */
export const PREPARED: Readonly<Record<string, Partial<Prepared>>> = {
  "README.md": {
    // These two are run by test/docs.test.ts and .ci/run, in the repository that they are about.
    files: NPM_PROJECT,
    executable: ["e2e.sh"],
    skipped: ["npm ci && node dist/bin.js demo\n", "npm ci && npm test\n"],
    script: `${plans("IMPLEMENTATION_PLAN.md", ["Greet by name"])}${WORKS}`,
  },
  "docs/guides/first-run.md": {
    skipped: [
      // src/cli/init-try.full.test.ts has a repository of which this is true.
      "These gates pass in your working tree and fail in a fresh checkout: test. Git ignores these files, so a fresh checkout has none: .env\nWith these lines they pass there:\n  .worktreeinclude  .env\n",
    ],
    script: `${plans("IMPLEMENTATION_PLAN.md", ["Greet by name", "Greet the world"])}${WORKS}`,
  },
  "docs/guides/lanes.md": {
    skipped: [
      // There is no unfinished work here; test/e2e/lanes-command.full.test.ts has some.
      'git diff refs/ralph/work/t-1a2b3c4d^ refs/ralph/work/t-1a2b3c4d\nralphctl lanes take t-1a2b3c4d\nralphctl lanes drop t-1a2b3c4d\neval "$(ralphctl lanes open 1)"\n',
    ],
    hasScreens: true,
  },
  "docs/guides/coming-from-another-ralph.md": {
    files: {
      ...USUAL.files,
      "prd.json":
        '{ "userStories": [{ "title": "Log in", "passes": true }, { "title": "Log out", "passes": false }] }\n',
    },
  },
  "docs/guides/specs-and-gates.md": {
    files: NPM_PROJECT,
    executable: ["e2e.sh"],
    script: WORKS.replace("echo", "echo Bonjour"),
  },
  "docs/guides/when-it-goes-wrong.md": { script: GOES_WRONG },
  "docs/guides/page.md": {
    // A server that goes on: test/e2e/page-server.test.ts and page-elsewhere.test.ts play it, the tunnel and the proxy.
    skipped: [
      "ralphctl ui                  # serves the page until Ctrl-C, and opens the browser\nralphctl ui --no-open        # only prints the address\nralphctl run --ui            # opens it beside a run\nralphctl ui --url            # prints the address of the page that is served already\n",
      "ssh -L 4400:127.0.0.1:4400 you@machine\nralphctl ui --no-open --port 4400     # there\n",
      "location / {\n  proxy_pass http://127.0.0.1:4400;\n  proxy_set_header Host 127.0.0.1:4400;\n  proxy_set_header Origin http://127.0.0.1:4400;\n  proxy_buffering off;\n}\n",
    ],
  },
  "docs/guides/fleet.md": {
    // It needs a server: src/cli/fleet.test.ts plays these lines where there is a PostgreSQL.
    skipped: [
      "npm install --global pg\n",
      "createuser --pwprompt ralph\ncreatedb --owner ralph ralph\n",
      "ralphctl fleet init postgres://ralph@db.example.com/ralph\n",
      "ralphctl fleet status @fleet-address\n",
      'ralphctl fleet init --print-sql > fleet.sql\npsql --set ON_ERROR_STOP=1 --file fleet.sql ralph\npsql --command "GRANT USAGE ON SCHEMA ralphctl TO ralph" ralph\npsql --command "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ralphctl TO ralph" ralph\n',
      "ralphctl fleet status\n",
      "PostgreSQL at db.example.com/ralph is set up: schema ralphctl, version 2\n\n  Repository  began with 4b825dc642cb; others in this database see none of its tasks\n\nOn each machine, in a clone of this repository\n  export RALPHCTL_FLEET_URL=postgres://ralph@db.example.com/ralph\n  ralphctl worker\n\nThen in any clone, with the same address\n  ralphctl run --fleet\n  ralphctl fleet status\n",
    ],
  },
  "docs/guides/watching.md": { hasScreens: true },
  "docs/guides/nightly.md": { script: GREETS },
  "docs/guides/proof.md": { script: GREETS, shows: ["done, proven"], hasScreens: true },
  "docs/guides/projects.md": {
    files: {
      ...USUAL.files,
      "projects/auth-system/specs/login.md": "# Login\n",
      "projects/billing/specs/bills.md": "# Bills\n",
    },
    script: IN_PROJECT,
    shows: ["auth-system  done          1 of 1 settled  projects/auth-system\n"],
  },
  "docs/guides/changes.md": {
    files: { ...USUAL.files, ...seedFiles("002-openspec") },
    shows: [
      "add-dark-mode  ready  0 of 3 settled  openspec/changes/add-dark-mode\n",
      "1 of 1 change complete\n  fix-greeting  complete: all tasks are done\n",
    ],
  },
  "docs/guides/sprints.md": {
    script: IN_SPRINT,
    shows: ["  State    done\n  Goal     Users can log in.\n  Summary  They log in\n"],
  },
};
