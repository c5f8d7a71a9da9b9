import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM, start } from "./built-program.ts";
import { writeAgent } from "./shell-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCRIPT = `
- when: { title: "Say *" }
  steps:
    - say: "It's \\"{task}\\" in {iteration},\\n\\\\n and $HOME"
    - think: 'Hm \`pwd\` %s'
- when: { prompt: "by 'its' words", iteration: 2 }
  steps: [{ usage: { input: 3 } }, { cost: 0.5 }, { end: { kind: limit, limit: week } }]
- when: { task: t-9 }
  steps: [{ stderr: "Oh\\n" }, { say: "{prompt}" }, { exit: 3 }]
- - write: { path: deep/er/a.txt, text: "a {task}\\n" }
  - append: { path: deep/er/a.txt, text: "b's" }
  - run: cat deep/er/a.txt; printf '\\t"\\\\\\n'; exit 4
  - tool: { name: look }
  - toolResult: { output: seen }
- - delete: deep
  - run: "true"
  - exit: 5
- - end: refused
`;

const ABOUT: Readonly<Record<string, { task: string; iteration: string; prompt: string }>> = {
  "a title": { task: "t-1", iteration: "1", prompt: "# Task\n**Title:** Say it\nMore\n**Title:** No\n" },
  "a title that only begins alike": { task: "t-1", iteration: "3", prompt: "**Title:** Says\n" },
  "words of the prompt and the iteration": { task: "t-1", iteration: "2", prompt: "Go by 'its' words." },
  "the task, by the real agent": { task: "t-9", iteration: "7", prompt: "All of\nthis" },
  "the first in order": { task: "t-1", iteration: "1", prompt: "" },
  "the second in order": { task: "t-1", iteration: "2", prompt: "" },
  "the last, ever after": { task: "t-1", iteration: "9", prompt: "" },
};

describe.concurrent("an agent in shell", () => {
  test.each(Object.entries(ABOUT))("does as the real one does when it is chosen by %s", async (_, about) => {
    const env = { RALPHCTL_TASK: about.task, RALPHCTL_ITERATION: about.iteration };
    const play = async (file: string, args: readonly string[]) => {
      const cwd = temporaryFolder({ "deep/er/b.txt": "b\n" });
      const answer = await start(file, args, { cwd, env, input: about.prompt });
      const path = join(cwd, "deep/er/a.txt");
      return { ...answer, text: existsSync(path) && readFileSync(path, "utf8"), isKept: existsSync(join(cwd, "deep")) };
    };
    const { script, bin } = writeAgent(temporaryFolder(), SCRIPT);
    const real = await play(process.execPath, [PROGRAM, "scripted-agent", script]);
    expect(await play(bin, [script])).toEqual(real);
  });
});
