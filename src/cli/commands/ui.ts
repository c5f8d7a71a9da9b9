import { addressOf, findPage, forgetPage, newToken, rememberPage } from "../../app/page/page-file.ts";
import { pageAssets } from "../../app/page/page-assets.ts";
import { RalphError } from "../../domain/error.ts";
import { servePage } from "../../ui/server/server.ts";
import type { Input } from "../command.ts";
import { caller, countOption } from "../flags.ts";
import type { Io } from "../io.ts";

/** U-01: serves the page until it is interrupted; with --url says where one is served. */
export async function run(input: Input, io: Io): Promise<void> {
  const port = portOf(input);
  const known = await findPage(io.cwd, io.env);
  if (input.options["url"] === true) return printUrl(known, io);
  if (known !== undefined && (port === undefined || port === known.port)) {
    io.err(`The page is served already, by process ${known.owner.pid}\n`);
    return io.out(`${addressOf(known)}\n`);
  }
  const { stop, kill } = io.interrupts();
  const token = newToken();
  const server = await servePage({
    actor: {
      ...caller(input, io),
      trust: { isGiven: false },
      // What changes a task is in its log, and a run tells its own events.
      emit: () => undefined,
      announce: () => undefined,
      stop,
      kill,
      self: io.self,
    },
    token,
    port: port ?? 0,
    assets: pageAssets(io.self),
    onBug: (error) => io.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  });
  try {
    await rememberPage(io.cwd, io.env, { port: server.port, token });
    io.err("Open this address in a browser of this machine. Ctrl-C ends the page; runs go on without it\n");
    io.out(`${addressOf({ port: server.port, token })}\n`);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    await forgetPage(io.cwd, io.env, token);
    await server.close();
  }
}

function printUrl(known: Awaited<ReturnType<typeof findPage>>, io: Io): void {
  if (known === undefined) {
    throw new RalphError("unavailable", "The page of this workspace is not served", { hint: "Run ralphctl ui" });
  }
  io.out(`${addressOf(known)}\n`);
}

const HIGHEST_PORT = 65_535;

function portOf(input: Input): number | undefined {
  const port = countOption(input, "port");
  if (port === undefined || port <= HIGHEST_PORT) return port;
  throw new RalphError("usage", `--port must be at most ${HIGHEST_PORT}, not ${port}`, {
    hint: "Leave it out: a free one is found",
  });
}
