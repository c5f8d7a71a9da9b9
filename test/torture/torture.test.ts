import { CASES } from "./cases.ts";
import { TORTURES_OF_FAST_LANE } from "./fast-lane.ts";
import { playAll } from "./play.ts";
import { byLane } from "../lane.ts";

/** What `npm run torture NAME …` asks for: all, if it names none. */
const asked = process.env["RALPH_TORTURE"]?.split(" ").filter(Boolean);

function chosen(names: readonly string[]) {
  const unknown = names.filter((name) => !CASES.some((one) => one.name === name));
  if (unknown.length > 0) {
    const all = CASES.map(({ name }) => name).join(", ");
    throw new Error(`There is no case called ${unknown.join(", ")}. There are: ${all}`);
  }
  return CASES.filter(({ name }) => names.length === 0 || names.includes(name));
}

playAll(
  asked === undefined
    ? byLane(
        TORTURES_OF_FAST_LANE,
        CASES.filter(({ slow }) => slow === undefined),
      )
    : chosen(asked),
);
