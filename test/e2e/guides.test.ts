import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROGRAM, start } from "../built-program.ts";
import { seedFiles } from "../seed-workspace.ts";
import type { Answer } from "../recording-io.ts";
import { git, temporaryFolder } from "../temporary-folder.ts";

/** Plans where no task is assigned, and works where one is. */
const SCRIPT = `
- - run: test -n "$RALPHCTL_TASK" || echo "- [ ] Ask for the password" > "projects/\${RALPHCTL_SCOPE#project/}/IMPLEMENTATION_PLAN.md"
  - run: test -z "$RALPHCTL_TASK" || echo "$RALPHCTL_TASK" >> done.txt
  - say: "<task-done>{task}</task-done>\\n\\n<promise>COMPLETE</promise>"
`;

/** The commands of a guide, in order. */
const commandsOf = (guide: string): string[] =>
  Array.from(readFileSync(`docs/guides/${guide}`, "utf8").matchAll(/^```sh\n(.*?)\n```/gms), ([, text]) => text!);

/** Types them one after the other, as a reader would; the first that fails ends it. */
async function follow(guide: string, files: Readonly<Record<string, string>>): Promise<Answer> {
  // The repository has a folder around it, for working trees beside it.
  const folder = temporaryFolder({
    "script.yaml": files["script.yaml"] ?? SCRIPT,
    "bin/ralphctl": `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`,
    "here/Makefile": "check:\n\ttest -f README.md\n",
    "here/README.md": "# Test\n",
    ...Object.fromEntries(
      Object.entries(files)
        .filter(([path]) => path !== "script.yaml")
        .map(([path, text]) => [`here/${path}`, text]),
    ),
  });
  chmodSync(join(folder, "bin/ralphctl"), 0o755);
  const cwd = join(folder, "here");
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, "add", "--all");
  git(cwd, "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "--quiet", "--message", "Begin");
  const env = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    HOME: folder,
    RALPHCTL_HARNESS: "scripted",
    RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: join(folder, "script.yaml"),
  };
  return await start("sh", ["-c", `set -ex\n${commandsOf(guide).join("\n")}`], { cwd, env });
}

const errorsIn = ({ stderr }: Answer): string[] => stderr.split("\n").filter((line) => line.startsWith("error:"));

test.concurrent("the commands of docs/guides/projects.md work, in their order", async () => {
  const answer = await follow("projects.md", {
    "projects/auth-system/specs/login.md": "# Login\n",
    "projects/billing/specs/bills.md": "# Bills\n",
  });
  expect([answer.code, errorsIn(answer)]).toEqual([0, []]);
  expect(answer.stdout).toContain("auth-system  done     1 of 1 settled  projects/auth-system\n");
});

test.concurrent("the commands of docs/guides/changes.md work on what OpenSpec made, in their order", async () => {
  const answer = await follow("changes.md", seedFiles("002-openspec"));
  expect([answer.code, errorsIn(answer)]).toEqual([0, []]);
  expect(answer.stdout).toContain("add-dark-mode  ready  0 of 3 settled  openspec/changes/add-dark-mode\n");
  expect(answer.stdout).toContain("Of 1 change, 1 complete\n  fix-greeting  complete: all tasks are done\n");
});

test.concurrent("the commands of docs/guides/sprints.md work, in their order", async () => {
  const answer = await follow("sprints.md", {
    "sprints/login/SPRINT.yaml": "workflow: ralph\ngoal: |\n  Users can log in.\n",
    "script.yaml": `
- when: { prompt: "Execute this step" }
  steps:
    - run: echo x >> done.txt
    - say: "<task-done>{task}</task-done>\\n\\nRALPH_COMPLETE: They log in"
- - run: ralphctl task add --sprint sprints/login "Ask for the password"
`,
  });
  expect([answer.code, errorsIn(answer)]).toEqual([0, []]);
  expect(answer.stdout).toContain("  State    done\n  Goal     Users can log in.\n  Summary  They log in\n");
});
