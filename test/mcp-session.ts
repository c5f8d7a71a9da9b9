import { homeOf } from "./temporary-folder.ts";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { PROGRAM } from "./built-program.ts";

/** What a tool answered: its texts, and whether it was an error. */
export interface ToolAnswer {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export interface McpSession {
  readonly client: Client;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
  /** The server's process. */
  readonly pid: number;
}

export interface McpOptions extends ClientOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `ralphctl mcp` as a real client does. It ends with the test at the latest. */
export async function mcpSession(cwd: string, { env = {}, ...options }: McpOptions = {}): Promise<McpSession> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp"],
    cwd,
    env: { PATH: process.env["PATH"]!, ...homeOf(cwd), ...env },
  });
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  onTestFinished(async () => await client.close());
  return {
    client,
    pid: transport.pid!,
    call: async (name, args = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      return { texts: content.map((block) => (block.type === "text" ? block.text : block.type)), isError };
    },
  };
}
