import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTrust, trustWritten } from "../src/app/trust/trust.ts";
import { openWorkspace } from "../src/app/workspace.ts";
import type { Print } from "./all.ts";
import { byTurns, type Cost, row } from "./measure.ts";

const ROUNDS = 201;
const GATES = 200;

/** The trust check of a run whose configuration is loaded, with a few settings and with many. At most 2 ms. */
export async function benchTrust(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-trust-"));
  try {
    const few = await opened(join(folder, "few"), 3);
    const many = await opened(join(folder, "many"), GATES);
    const costs = await byTurns(ROUNDS, {
      few: async () => await requireTrust(few.workspace, few),
      many: async () => await requireTrust(many.workspace, many),
    });
    const told = (name: string, { ms, cpuMs }: Cost): void =>
      print(row(name, `${ms.toFixed(2)} ms`, `${cpuMs.toFixed(2)} ms cpu`));
    told("trust check, 3 gates and a hook's workflow", costs.few);
    told(`trust check, ${GATES} gates and a hook's workflow`, costs.many);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function opened(root: string, gates: number) {
  mkdirSync(join(root, ".ralph/workflows"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  writeFileSync(join(root, ".ralph/workflows/look.yaml"), "phases: [{ id: a, prompt: Look }]\n");
  const list = Array.from({ length: gates }, (_, at) => `  - { id: g${at}, run: make check-${at} }\n`);
  const hooks = "hooks: [{ id: look, workflow: look }]\n";
  writeFileSync(join(root, ".ralph/config.yaml"), `${hooks}gates:\n${list.join("")}`);
  const env = { PATH: process.env["PATH"], HOME: root, XDG_STATE_HOME: join(root, "state") };
  const surroundings = { cwd: root, env };
  await trustWritten(surroundings);
  return { workspace: await openWorkspace(surroundings), env };
}
