import { createServer } from "node:net";
import { RalphError } from "../domain/error.ts";
import { type LaneName, placeText, roomNumber } from "../domain/lane-env.ts";

const FIRST_PORT = 42_000;
const BLOCK = 100;
/** How far the next block is, if the first port of one is taken. */
const STEP = 1000;
const HIGHEST_PORT = 65_000;

/** L-06: the first of a hundred ports for a lane. Those of rooms are below those of the lanes. */
export async function freeBlock(lane: LaneName): Promise<number> {
  const room = roomNumber(lane);
  const wanted = FIRST_PORT + BLOCK * (room === undefined ? Number(lane) : -room);
  for (let port = wanted; port < HIGHEST_PORT; port += STEP) if (await isFree(port)) return port;
  throw new RalphError("unavailable", `No port is free for ${placeText(lane)}`, {
    hint: `End the programs that listen on port ${wanted}, ${wanted + STEP} and so on`,
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
