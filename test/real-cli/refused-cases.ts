import { claim, OPEN, type RealCase, work } from "./cases.ts";
import type { Cli } from "./cli.ts";
import type { Play, Stage } from "./stage.ts";

// What somebody refuses an agent: the server its login or its model, and its own settings a tool.

/** What no waiting ends: the run ends with 77 after few requests, and with what to do. */
const forGood = (name: string, refusal: "hasNoCredit" | "isElsewhere" | "forbids", help: (cli: Cli) => string) => ({
  name,
  proves: "P-44 X-77",
  about: `${ABOUT[refusal]} ends the run with 77 after few requests, and with what to do`,
  play: (cli: Cli) => ({ script: () => [{ error: cli[refusal] }] }),
  more: ({ run, model }: Stage) => ({ help: run.finished?.help, isBounded: model.asked.length <= MOST_ASKED }),
  expected: (cli: Cli) => ({
    code: 77,
    outcomes: [refusal === "hasNoCredit" ? "limited" : "login"],
    ...OPEN,
    more: { help: [help(cli)], isBounded: true },
  }),
});

const ABOUT = {
  hasNoCredit: "an account without credit",
  isElsewhere: "a server that does not serve this place",
  forbids: "an account that may not (403)",
};
/** Of repeated requests ralphctl hears the second. */
const MOST_ASKED = 3;

/** How each CLI is told that nobody may push: by the project, by the person, or by an argument. */
const DENIES: Readonly<Record<string, (cli: Cli) => Partial<Play>>> = {
  claude: () => inProject(".claude/settings.json", { permissions: { deny: ["Bash(git push:*)"] } }),
  opencode: () => inProject("opencode.json", { permission: { bash: { "*": "allow", "git push *": "deny" } } }),
  gemini: () => ({ home: () => ({ ".gemini/policies/mine.toml": GEMINI_RULE }) }),
  qwen: () => inProject(".qwen/settings.json", { permissions: { deny: ["Bash(git push *)"] } }),
  copilot: ({ model }) => ({ settings: `model: ${model}, args: [--deny-tool, "shell(git push)"]` }),
  codex: () => ({
    home: () => ({ ".codex/rules/mine.rules": 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n' }),
  }),
};

const GEMINI_RULE =
  '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\npriority = 900\n';

const inProject = (path: string, settings: object): Partial<Play> => ({ files: { [path]: JSON.stringify(settings) } });

export const REFUSED_CASES: readonly RealCase[] = [
  forGood("bill", "hasNoCredit", ({ title }) => {
    const whose = title.replace(/^The /, "the ");
    return `Add credit to the account that ${whose} uses, or choose another harness`;
  }),
  forGood("region", "isElsewhere", () => "Ask who runs the account, or choose another harness"),
  forGood("forbidden", "forbids", ({ help }) => help),
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
    only: Object.keys(DENIES),
    proves: "P-20",
    about: "a tool that settings deny is told to the next session",
    play: (cli) => ({
      ...DENIES[cli.name]!(cli),
      script: (about) => [
        { text: "I push it.", tools: [cli.runs("git push origin main")] },
        claim(about.task),
        ...work(cli, about),
      ],
    }),
    more: ({ run }) => ({ isTold: /git push.*Work without it|Work without it.*git push/s.test(run.prompt(2)) }),
    expected: () => ({ outcomes: ["rejected", "verified"], counted: 1, more: { isTold: true } }),
  },
];
