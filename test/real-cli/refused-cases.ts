import { claim, OPEN, type RealCase, work } from "./cases.ts";

// What somebody refuses an agent: the server its login or its model, and its own settings a tool.

export const REFUSED_CASES: readonly RealCase[] = [
  {
    name: "login-later",
    proves: "P-44 X-77",
    about: "a login that is refused in the middle of a session ends the run with 77, and is no attempt",
    play: (cli) => ({
      script: () => [{ text: "I begin.", tools: [cli.runs("echo begun > begun.txt")] }, { error: cli.refusesLogin }],
    }),
    more: ({ run }) => ({ help: run.finished?.help }),
    expected: ({ help }) => ({ code: 77, outcomes: ["login"], ...OPEN, more: { help: [help] } }),
  },
  {
    name: "no-login",
    proves: "P-44 X-77",
    about: "an agent without a login ends the run with 77 at once, and with what to do",
    play: () => ({ script: () => [{ text: "Nobody is asked." }], isLoggedOut: true }),
    more: ({ run, model }) => ({ help: run.finished?.help, asked: model.asked }),
    expected: ({ help, loggedOut: { elsewhere = [] } }) => ({
      code: 77,
      outcomes: ["login"],
      ...OPEN,
      elsewhere,
      more: { help: [help], asked: [] },
    }),
  },
  {
    name: "wrong-model",
    proves: "X-78",
    about: "a model that does not exist ends the run with 78 at once, and with what sets it",
    play: (cli) => ({ script: () => [{ error: cli.knowsNoModel }] }),
    more: ({ run }) => ({ reason: run.finished?.reason.replace(/: .*/s, "") }),
    expected: ({ title, name, model }) => ({
      code: 78,
      outcomes: ["model"],
      ...OPEN,
      more: {
        reason: `${title} cannot use the model "${model}" (harnesses.${name}.model, file .ralph/config.yaml line 3)`,
      },
    }),
  },
  {
    name: "denied",
    only: ["claude"],
    proves: "P-20",
    about: "a tool that the project's settings deny is told to the next session",
    play: (cli) => ({
      files: { ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(git push:*)"] } }) },
      script: (about) => [
        { text: "I push it.", tools: [cli.runs("git push origin main")] },
        claim(about.task),
        ...work(cli, about),
      ],
    }),
    more: ({ run }) => ({ isTold: run.prompt(2).includes("git push origin main has been denied. Work without it") }),
    expected: () => ({ outcomes: ["rejected", "verified"], counted: 1, more: { isTold: true } }),
  },
];
