import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decidingChanges, discoverIn, folderLook, type Look, resolveGate, treeLook } from "../src/gate/gate.ts";
import { readAhead } from "../src/loop/read-ahead.ts";
import { openRepository } from "../src/system/git/repository.ts";
import { nameTree } from "../src/system/git/tree.ts";
import type { Print } from "./all.ts";
import { byTurns, type Cost, row } from "./measure.ts";

const PACKAGES = 500;
const ROUNDS = 21;
const RUN = "npm test --workspaces";

/** What decides in a workspace of many packages, against just reading their files. */
export async function benchResolve(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-resolve-"));
  try {
    fill(folder);
    const repository = await openRepository({ folder, env: process.env });
    const look = folderLook(folder);
    const change = { path: "packages/p7/src/a.ts", kind: "modified" as const, before: undefined, after: undefined };
    const gates = [{ id: "test", run: RUN }];
    const judge = async (base: Look, candidate: Look) =>
      await decidingChanges({ gates, base, candidate, changes: [change], testFiles: [] });
    // A run names the tree of a candidate itself, so that it knows the folders on the way to a change.
    const now = { mode: "100644", hash: "7".repeat(40) };
    const state = { path: change.path, head: undefined, now, stat: undefined };
    const fresh = { ...repository, trees: new Map(), files: new Map() };
    const { tree } = await nameTree(fresh, "HEAD", [state]);
    const copyOf = (home: typeof fresh) => ({ ...home, trees: new Map(home.trees), files: new Map(home.files) });
    const early = copyOf(fresh);
    await readAhead({ home: early, root: folder, gates: { gates } }, "HEAD");
    const judgeTree = async (home: typeof fresh): Promise<void> => {
      const [base, candidate] = [treeLook(home, "HEAD"), treeLook(home, tree)];
      await judge(base, candidate);
      base.close();
      candidate.close();
    };
    const costs = await byTurns(ROUNDS, {
      read: () => {
        const names = readdirSync(join(folder, "packages"));
        for (const name of names) JSON.parse(readFileSync(join(folder, "packages", name, "package.json"), "utf8"));
      },
      folder: async () => await judge(look, look),
      // The base's files are read while the agent works; the claim of a session without an event has to read them.
      fresh: async () => await judgeTree(copyOf(fresh)),
      tree: async () => await judgeTree(copyOf(early)),
      list: async () => await resolveGate(RUN, look),
      discover: async () => await discoverIn(look),
    });
    const told = (name: string, { ms, cpuMs }: Cost): void =>
      print(
        row(
          name,
          `${ms.toFixed(1)} ms`,
          `${cpuMs.toFixed(1)} ms cpu`,
          `${(cpuMs / costs.read.cpuMs).toFixed(2)} × reading`,
        ),
      );
    told(`read ${PACKAGES} package.json`, costs.read);
    told("classify a change, files of a folder", costs.folder);
    told("classify a change, files of commits", costs.tree);
    told("the same, if nothing was read ahead", costs.fresh);
    told("list what decides", costs.list);
    told("discover the gates", costs.discover);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("package.json", JSON.stringify({ name: "top", workspaces: ["packages/*"] }));
  write("tsconfig.json", "{}");
  for (let at = 0; at < PACKAGES; at += 1) {
    const scripts = { build: "tsc -p .", test: "vitest run", lint: "eslint ." };
    const dependencies = Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`library-${number}`, "^1.0.0"]));
    write(
      `packages/p${at}/package.json`,
      JSON.stringify({ name: `@x/p${at}`, version: "1.0.0", scripts, dependencies }, undefined, 2),
    );
    write(`packages/p${at}/tsconfig.json`, '{"extends": "../../tsconfig.json"}');
    write(`packages/p${at}/src/a.ts`, "export {}");
  }
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: folder });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "First");
  git("gc", "--quiet");
}
