import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { createServer } from "../mcp/server.ts";
import { lineTransport } from "../mcp/transport.ts";

const WAITING = `This waits for an MCP client, which starts it by itself and speaks JSON with it. To add it to an agent:
  claude mcp add ralphctl -- ralphctl mcp
  codex mcp add ralphctl -- ralphctl mcp
Ctrl-D or Ctrl-C ends it.
`;

/** Serves the tasks to an MCP client, until that closes our standard input. */
export async function run(input: Input, io: Io): Promise<void> {
  if (io.isInteractive) io.err(WAITING);
  const { transport, ended } = lineTransport(io);
  const host = {
    caller: (notice: (sentence: string) => void) => ({ ...caller(input, io), notice }),
    onBug: (error: unknown) => io.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  };
  const connection = serveStdio(() => createServer(host), {
    transport,
    onerror: (error) => io.err(`warning: ${error.message}\n`),
  });
  await ended;
  await connection.close();
}
