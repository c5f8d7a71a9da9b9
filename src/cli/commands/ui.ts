import { hasLivingRun } from "../../app/page/hub.ts";
import { pageAssets } from "../../app/page/page-assets.ts";
import { openLink } from "../../app/page/open-link.ts";
import { openBrowser } from "../../app/page/page-beside.ts";
import { addressOf, findPage, type KnownPage, newToken, rememberPage } from "../../app/page/page-file.ts";
import { parseDuration } from "../../domain/duration.ts";
import { RalphError } from "../../domain/error.ts";
import { type PageServer, servePage } from "../../ui/server/server.ts";
import { type Input, textOption } from "../command.ts";
import { caller, countOption } from "../flags.ts";
import type { Io } from "../io.ts";

/** U-01: serves the page until it is interrupted; with --url says where one is served. */
export async function run(input: Input, io: Io): Promise<void> {
  const port = portOf(input);
  const idleMs = idleOf(input);
  const known = await findPage(io.cwd, io.env);
  if (input.options["url"] === true) return printUrl(known, io);
  if (known !== undefined && (port === undefined || port === known.port)) {
    io.err(`The page is served already, by process ${known.owner.pid}\n`);
    return show(known, input, io);
  }
  const token = newToken();
  io.saveMemory();
  const server = await serve(input, io, { port: port ?? 0, token });
  let forget = async (): Promise<void> => undefined;
  try {
    forget = await rememberPage(io.cwd, io.env, { port: server.port, token });
    io.err("Ctrl-C ends the page; runs go on without it\n");
    show({ port: server.port, token }, input, io);
    await untilEnd(server, io, idleMs);
  } finally {
    // First: nothing else would end the process.
    await server.close();
    await forget();
  }
}

async function serve(input: Input, io: Io, at: { readonly port: number; readonly token: string }): Promise<PageServer> {
  const { stop, kill } = io.interrupts();
  return await servePage({
    ...at,
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
    assets: pageAssets(io.self),
    onBug: (error) => io.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  });
}

function show(page: Pick<KnownPage, "port" | "token">, input: Input, io: Io): void {
  if (input.options["open"] !== false) openBrowser(openLink(page), io.env);
  io.out(`${addressOf(page)}\n`);
}

/** Until a signal, or until nobody has needed it for so long. */
async function untilEnd(server: PageServer, io: Io, idleMs: number | undefined): Promise<void> {
  const { stop } = io.interrupts();
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
    if (idleMs === undefined) return;
    let usedAt = performance.now();
    const timer = setInterval(
      () => {
        if (server.hub.readers() > 0 || hasLivingRun(io.cwd)) usedAt = performance.now();
        if (performance.now() - usedAt < idleMs) return;
        clearInterval(timer);
        resolve();
      },
      Math.min(LOOK_MS, idleMs),
    ).unref();
  });
}

const LOOK_MS = 10_000;

function printUrl(known: KnownPage | undefined, io: Io): void {
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

function idleOf(input: Input): number | undefined {
  const text = textOption(input, "idle");
  const idleMs = text === undefined ? undefined : parseDuration(text);
  if (text === undefined || (idleMs !== undefined && idleMs > 0)) return idleMs;
  throw new RalphError("usage", `--idle must be a duration, not ${JSON.stringify(text)}`, { hint: "Write --idle 30m" });
}
