import type { Io } from "./io.ts";

/** The world of a real process. `host` is handed in by bin.ts, the only file that knows it. */
export function processIo(host: NodeJS.Process): Io {
  const { env, stdin, stdout, stderr } = host;
  for (const stream of [stdout, stderr]) stream.on("error", (error) => ignoreClosedPipe(host, error));
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    env,
    cwd: host.cwd(),
    isInteractive: stdin.isTTY && stderr.isTTY && !env["CI"],
    hasColor: stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    confirm: async (question) => await (await import("./ask.ts")).confirm(question),
    readInput: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

/** `ralphctl prompt | head` closes the pipe early: that is no error, and nobody reads on. */
function ignoreClosedPipe(host: NodeJS.Process, error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") host.exit();
  throw error;
}
