import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventsOf } from "../run-seen.ts";
import { homeOf } from "../temporary-folder.ts";
import { type RealCase, work } from "./cases.ts";
import type { Cli, Place } from "./cli.ts";
import type { Stage } from "./stage.ts";

// What people have set up for their own sessions, in their home, and what of it applies under ralphctl.

/** A server of tools that answers on its standard streams, as the protocol wants it. */
const SERVER = `#!/usr/bin/env node
let rest = "";
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const tool = { name: "hello", description: "Says hello", inputSchema: { type: "object", properties: {} } };
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "mine", version: "1" } },
      "tools/list": { tools: [tool] },
      "tools/call": { content: [{ type: "text", text: "hello from mine" }] },
    };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }) + "\\n");
  }
});
`;

/** Prints what is no JSON, and then would never end. */
const HOOK = "echo garbage; echo more >&2; sleep 300";

const hooks = (command: string) =>
  Object.fromEntries(
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"].map((name) => [
      name,
      [{ matcher: "", hooks: [{ type: "command", command }] }],
    ]),
  );

const settings = ({ home, url }: Place) => ({
  env: { ANTHROPIC_BASE_URL: url },
  apiKeyHelper: join(home, "key.sh"),
  model: "claude-haiku-4-5",
  permissions: { deny: ["Bash(touch:*)"], defaultMode: "plan" },
  outputStyle: "Explanatory",
  statusLine: { type: "command", command: HOOK },
  hooks: hooks(HOOK),
});

/** A home with everything that can be set up for Claude Code. */
const claudeHome = (place: Place) => ({
  ".claude/settings.json": settings(place),
  ".claude/CLAUDE.md": "The person likes the word xyzzy.\n",
  ".claude.json": { mcpServers: { mine: { type: "stdio", command: "node", args: [join(place.home, "server.sh")] } } },
  "key.sh": "#!/bin/sh\necho test\n",
  "server.sh": SERVER,
});

/** Nothing in the environment leads to the model. */
const BARE = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" };

const DENIED = {
  text: "I try it.",
  tools: [{ name: "Bash", input: { command: "touch denied.txt", description: "Try" } }],
};
const ASKS_SERVER = { text: "I ask.", tools: [{ name: "mcp__mine__hello", input: {} }] };

const seen = ({ model: { asked } }: Stage) => ({
  model: (JSON.parse(asked[0] ?? "{}") as { model?: string }).model,
  knowsMemory: asked[0]?.includes("xyzzy"),
  isDenied: asked.some((body) => body.includes("touch denied.txt has been denied")),
  serverAnswers: asked.some((body) => body.includes("hello from mine")),
});

const claude = { only: ["claude"], proves: "D-03", more: seen } as const;

/** What the run remembers of the versions of programs. */
function knownVersion({ place }: Stage, { name, version }: Cli): string | undefined {
  const file = join(homeOf(place.folder).XDG_STATE_HOME, "ralphctl", "versions.json");
  const known = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, { readonly version: string }>>;
  return Object.entries(known).find(([path]) => path.includes(`${name}-${version}/`))?.[1].version;
}

/** Settings of a project, as an older version of the CLI or a person wrote them. */
const PROJECT: Readonly<Record<string, { readonly path: string; readonly text: string }>> = {
  claude: { path: ".claude/settings.json", text: '{"permissions":{"deny":["Bash(git push:*)"]}}' },
  codex: { path: ".codex/config.toml", text: 'model_verbosity = "low"\n' },
  opencode: { path: "opencode.json", text: '{"permission":{"bash":{"*":"allow","git push *":"deny"}}}' },
  gemini: { path: ".gemini/settings.json", text: '{"tools":{"exclude":["google_web_search"]}}' },
  qwen: { path: ".qwen/settings.json", text: '{"permissions":{"deny":["Bash(git push *)"]}}' },
};

const projectOf = ({ name }: Cli) => PROJECT[name.replace(/-acp$/, "")]!;

export const SET_UP_CASES: readonly RealCase[] = [
  {
    name: "version",
    proves: "X-69",
    about: "the run learns the version of the program before its first session, and does not warn of the tested one",
    play: (cli) => ({ script: (about) => work(cli, about) }),
    more: (stage, cli) => ({
      version: knownVersion(stage, cli),
      warnings: eventsOf(stage.run, "run.notice").flatMap(({ text }) =>
        /is (?:older|newer) than/.test(text) ? text : [],
      ),
    }),
    expected: ({ version }) => ({ more: { version, warnings: [] } }),
  },
  {
    name: "stamp",
    only: [...Object.keys(PROJECT), ...Object.keys(PROJECT).map((name) => `${name}-acp`)],
    proves: "T-10",
    about: "settings of the project that it stamps by itself stay as they were, and nobody is asked about them",
    play: (cli) => {
      const { path, text } = projectOf(cli);
      return { script: (about) => work(cli, about), files: { [path]: text } };
    },
    more: ({ place }, cli) => ({
      isSame: place.git("show", `HEAD:${projectOf(cli).path}`) === projectOf(cli).text.trim(),
    }),
    expected: () => ({ more: { isSame: true } }),
  },
  {
    ...claude,
    name: "set-up",
    about: "login, model, memory, deny rules and servers of the person apply; hooks that hang, and a style, do not",
    play: (cli) => ({
      script: (about) => [ASKS_SERVER, DENIED, ...work(cli, about)],
      env: BARE,
      home: claudeHome,
      settings: "args: []",
    }),
    expected: () => ({
      more: { model: "claude-haiku-4-5", knowsMemory: true, isDenied: true, serverAnswers: true },
    }),
  },
  {
    ...claude,
    name: "set-up-both",
    about: "hooks of the repository run where the person's would hang, with their login, model and deny rules",
    play: (cli) => ({
      script: (about) => [DENIED, ...work(cli, about)],
      env: BARE,
      home: claudeHome,
      settings: "args: []",
      files: {
        ".claude/settings.json": JSON.stringify({ hooks: hooks("echo ran >> $HOME/ran.log; ls $HOME/ran.log") }),
      },
    }),
    more: (stage) => ({ ...seen(stage), hasRun: stage.model.asked.some((body) => body.includes("ran.log")) }),
    expected: () => ({
      more: { model: "claude-haiku-4-5", knowsMemory: false, isDenied: true, serverAnswers: false, hasRun: true },
    }),
  },
  {
    ...claude,
    name: "set-up-login",
    about: "userSettings: login takes the login alone",
    play: (cli) => ({
      script: (about) => work(cli, about),
      env: BARE,
      home: claudeHome,
      settings: `userSettings: login, model: ${cli.model}`,
    }),
    expected: (cli) => ({ more: { model: cli.model, knowsMemory: false, isDenied: false, serverAnswers: false } }),
  },
];
