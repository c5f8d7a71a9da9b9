import { eventsOf } from "../run-seen.ts";
import { type RealCase, work } from "./cases.ts";
import { type Cli, type Place, programOf } from "./cli.ts";

/** Starts, and says nothing. Those that can be told to give up earlier than by themselves are told so. */
const SLEEPY = { command: "sh", args: ["-c", "exec sleep 300"], timeout: 15_000 };

/** The files of a home that name it, by the program. */
const FILES: Readonly<Record<string, (files: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>>> =
  {
    gemini: (files) => added(files, ".gemini/settings.json", { mcpServers: { sleepy: SLEEPY } }),
    qwen: (files) => added(files, ".qwen/settings.json", { mcpServers: { sleepy: SLEEPY } }),
    copilot: (files) =>
      added(files, ".copilot/mcp-config.json", { mcpServers: { sleepy: { type: "local", tools: ["*"], ...SLEEPY } } }),
    opencode: (files) =>
      added(files, ".config/opencode/opencode.json", {
        mcp: { sleepy: { type: "local", command: [SLEEPY.command, ...SLEEPY.args], timeout: SLEEPY.timeout } },
      }),
  };

const added = (files: Readonly<Record<string, unknown>>, path: string, more: object) => ({
  ...files,
  [path]: { ...(files[path] as object | undefined), ...more },
});

const home = (cli: Cli, place: Place) => FILES[programOf(cli)]!(cli.files(place));

export const SERVER_CASES: readonly RealCase[] = [
  {
    name: "server-silent",
    only: Object.keys(FILES).flatMap((name) => [name, `${name}-acp`]),
    proves: "P-41",
    about: "a server of tools that never answers is named while the agent waits for it, and the work goes on after",
    play: (cli) => ({ script: (about) => work(cli, about), home: (place) => home(cli, place) }),
    more: ({ run }) => ({
      named: eventsOf(run, "agent.notice").flatMap(
        ({ text }) =>
          /has said nothing in the 10 seconds since its start\. It may be waiting for an MCP server: (\w+)\./.exec(
            text,
          )?.[1] ?? [],
      ),
    }),
    expected: () => ({ more: { named: ["sleepy"] } }),
  },
];
