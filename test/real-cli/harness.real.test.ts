import { describe, expect, test } from "vitest";
import { CASES as COMMON_CASES, expectedOf, seenOf } from "./cases.ts";
import { ABOUT, EXPECTED, NAME, playAtOnce } from "./at-once.ts";
import { BATTERY_CASES } from "./battery-cases.ts";
import type { Cli } from "./cli.ts";
import { ACP_CLIS } from "./acp-clis.ts";
import { AT_ONCE, CLIS as OWN_CLIS } from "./clis.ts";
import { install } from "./install.ts";
import { REFUSED_CASES } from "./refused-cases.ts";
import { SANDBOX_CASES } from "./sandbox-cases.ts";
import { SERVER_CASES } from "./server-cases.ts";
import { SET_UP_CASES } from "./set-up-cases.ts";
import { stage } from "./stage.ts";

const CLIS = [...OWN_CLIS, ...ACP_CLIS];
const CASES = [...COMMON_CASES, ...BATTERY_CASES, ...REFUSED_CASES, ...SET_UP_CASES, ...SERVER_CASES, ...SANDBOX_CASES];

/** What `npm run e2e:harness NAME …` asks for: CLIs and cases by name; all of them where none is named. */
const asked = (process.env["RALPH_REAL_CLIS"] ?? "").split(" ").filter(Boolean);
/** What cannot be had in this time is left out, and named; otherwise that is a failure. */
const patience = process.env["RALPH_REAL_PATIENCE_S"];
const INSTALL_MS = patience === undefined ? 600_000 : Number(patience) * 1000;

const all = [...CLIS, ...CASES, { name: NAME }].map(({ name }) => name);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}. There are: ${all.join(", ")}`);

function chosen<One extends { readonly name: string }>(list: readonly One[]): readonly One[] {
  const named = list.filter(({ name }) => asked.includes(name));
  return named.length === 0 ? list : named;
}

const isAskedFor = asked.length === 0 || asked.includes(NAME);
/** Those that play the cases one by one. */
const single = asked.length > 0 && asked.every((name) => name === NAME) ? [] : chosen(CLIS);
const together = isAskedFor ? Object.values(AT_ONCE) : [];

// All at once: most of the time is the network's.
const installed = new Map(
  await Promise.all(
    [...new Set([...single, ...together])].map(async (cli) => [cli.name, await install(cli, INSTALL_MS)] as const),
  ),
);

/** Where the CLIs are, each with the Node that it needs. */
function pathOf(clis: readonly Cli[], skip: (note: string) => void): string[] {
  return clis.flatMap((cli) => {
    const got = installed.get(cli.name)!;
    if (!("missing" in got)) return got.path;
    if (patience !== undefined) skip(got.missing);
    throw new Error(got.missing);
  });
}

if (isAskedFor) {
  test(`L-08 L-25 L-40 L-41 ${NAME}: ${ABOUT}`, { timeout: 600_000 }, async ({ task, skip }) => {
    task.meta.realCli = { cli: together.map(({ name }) => name).join(", "), name: NAME };
    expect(await playAtOnce(pathOf(together, skip))).toEqual(EXPECTED);
  });
}

describe.each(single)("$name", (cli) => {
  for (const one of chosen(CASES).filter(({ only }) => only?.includes(cli.name) !== false)) {
    test(`${one.proves} ${one.name}: ${one.about}`, { timeout: 300_000 }, async ({ task, skip }) => {
      task.meta.realCli = { cli: `${cli.name} ${cli.version}`, name: one.name };
      if (cli.cannot?.[one.name] !== undefined) skip(cli.cannot[one.name]);
      const path = pathOf([cli], skip);
      expect(await seenOf(one, cli, await stage(cli, path, one.play(cli)))).toEqual(expectedOf(one, cli));
    });
  }
});
