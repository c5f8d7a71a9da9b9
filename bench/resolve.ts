import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decidingChanges, discoverIn, folderLook, type Look, resolveGate, treeLook } from "../src/gate/gate.ts";
import { openRepository } from "../src/system/git/repository.ts";
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
    const judgeTree = async (home: typeof repository): Promise<void> => {
      const [base, candidate] = [treeLook(home, "HEAD"), treeLook(home, "HEAD")];
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
      // The first claim of a run has to read all files, the next only those that changed.
      first: async () => await judgeTree({ ...repository, trees: new Map(), files: new Map() }),
      tree: async () => await judgeTree(repository),
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
    told("classify a change, files of commits, first", costs.first);
    told("classify a change, files of commits, next", costs.tree);
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
