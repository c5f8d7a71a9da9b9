// What an agent inside a session does by MCP: calls each tool of the list in its argument, and prints the answers.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "agent", version: "1" });
await client.connect(new StdioClientTransport({ command: "ralphctl", args: ["mcp"], env: process.env }));
for (const [name, args] of JSON.parse(process.argv[2])) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  console.log(`${isError ? "refused" : "answered"}: ${content.map(({ text }) => text).join(" | ")}`);
}
await client.close();
