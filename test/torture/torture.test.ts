import { CASES } from "./cases.ts";
import { playAll } from "./play.ts";

/** What `npm run torture NAME …` asks for: all, if it names none. Without it, as a part of `npm test`, the fast ones. */
const asked = process.env["RALPH_TORTURE"]?.split(" ").filter(Boolean);

function chosen(names: readonly string[]) {
  const unknown = names.filter((name) => !CASES.some((one) => one.name === name));
  if (unknown.length > 0) {
    const all = CASES.map(({ name }) => name).join(", ");
    throw new Error(`There is no case called ${unknown.join(", ")}. There are: ${all}`);
  }
  return CASES.filter(({ name }) => names.length === 0 || names.includes(name));
}

playAll(asked === undefined ? CASES.filter(({ slow }) => slow === undefined) : chosen(asked));
