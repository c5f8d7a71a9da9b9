// What an agent inside a session does by MCP: calls each tool of the list in its argument, and prints the answers. With
// `filtered` it passes on only those variables that the library deems safe, as many clients do.
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "agent", version: "1" });
const [calls, how] = process.argv.slice(2);
const env = how === "filtered" ? getDefaultEnvironment() : process.env;
await client.connect(new StdioClientTransport({ command: "ralphctl", args: ["mcp"], env }));
for (const [name, args] of JSON.parse(calls)) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  console.log(`${isError ? "refused" : "answered"}: ${content.map(({ text }) => text).join(" | ")}`);
}
await client.close();
