/** A server of tools (MCP) that an agent's CLI starts, or connects to, when a session begins. */
export type ToolServer = { readonly name: string } & (StartedServer | RemoteServer);

export interface StartedServer {
  readonly command: readonly [file: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RemoteServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
