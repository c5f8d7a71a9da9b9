import { type CallToolResult, McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { Caller } from "../../app/task/caller.ts";
import { RalphError } from "../../domain/error.ts";
import { version } from "../../domain/version.ts";
import { type ToolFields, schemaOf } from "./fields.ts";
import { type Tool, TOOLS } from "./tools.ts";

const INSTRUCTIONS =
  "The tasks of this repository, which ralphctl assigns to agents. Anything you report about a task is a claim: ralphctl checks it with its gates.";

export interface ServerHost {
  /** The caller of one call; `notice` gets its warnings. */
  readonly caller: (notice: Caller["notice"]) => Caller;
  /** Called with an error that is a bug. */
  readonly onBug: (error: unknown) => void;
}

/** A server with all our tools. */
export function createServer(host: ServerHost): McpServer {
  const server = new McpServer({ name: "ralphctl", version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, doc, fields, isReadOnly } = tool;
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false };
    const config = { description: doc, inputSchema: shown(fields), annotations };
    server.registerTool(name, config, async (sent) => await answer(tool, sent, host));
  }
  return server;
}

/** The schema for the client; the tool itself checks arguments, for better messages. */
const shown = (fields: ToolFields): StandardSchemaWithJSON => ({
  "~standard": {
    version: 1,
    vendor: "ralphctl",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => schemaOf(fields), output: () => schemaOf(fields) },
  },
});

/** Always answers: a client without an answer tries again. */
async function answer(tool: Tool, sent: unknown, { caller, onBug }: ServerHost): Promise<CallToolResult> {
  const notices: string[] = [];
  const told = (): string[] => notices.map((sentence) => `warning: ${sentence}`);
  try {
    const text = await tool.call(
      sent,
      caller((sentence) => void notices.push(sentence)),
    );
    return result([text, ...told()]);
  } catch (error) {
    if (!(error instanceof RalphError)) onBug(error);
    return { ...result([errorText(error), ...told()]), isError: true };
  }
}

const result = (texts: readonly string[]): CallToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

function errorText(error: unknown): string {
  if (!(error instanceof RalphError)) return `error: This is a bug in ralphctl ${version}; its log has the details`;
  return `error: ${error.message}${error.hint === undefined ? "" : `\nhint: ${error.hint}`}`;
}
