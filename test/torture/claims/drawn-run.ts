import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { matchesAny } from "../../../src/domain/glob.ts";
import { copyFolder, git, temporaryFolder, temporaryRepository } from "../../temporary-folder.ts";
import { playAll, type Played, proofOf } from "./claim-run.ts";
import { type Draw, drawOf } from "./drawn-claims.ts";
import { toolsFolder } from "./place-tools.ts";
import type { ClaimPlace } from "./places.ts";

/** Two gates, in one of which make, a script and tests decide, and in the other the configuration of a tool. */
const PLACE: ClaimPlace = {
  files: {
    "sum.txt": "4\n",
    "src/more.txt": "9\n",
    "src/count.txt": "4\n",
    "notes.md": "# Notes\n",
    "check.sh": 'for test in tests/*.sh; do sh "$test" || exit 1; done\n',
    "tests/sum.sh": 'test "$(cat sum.txt)" = 4\n',
    "tests/more.sh": 'test "$(cat src/more.txt)" -gt 8\n',
    Makefile: "CHECK = sh check.sh\ninclude rules.mk\n\n.PHONY: check\ncheck: prepare\n\t$(CHECK)\n",
    "rules.mk": "prepare:\n\t@true\n",
    "vitest.config.js": "// all\n",
    ".gitignore": "dist/\n",
  },
  gates: { make: "make check", vitest: "SUM=src/count.txt vitest run" },
  sources: /^(?:sum\.txt|notes\.md|src\/.*)$/,
};

/** What a fresh clone knows of a candidate. */
interface Truth {
  readonly checks: "red" | "green";
  /** Changed paths that belong to the base's checks, new ones too. */
  readonly deciding: readonly string[];
  /** Changed paths of the work. */
  readonly work: readonly string[];
}

/** Plays the draws of these seeds as tasks of one run. Returns a sentence for each that came out wrongly. */
export async function playDraws(seeds: readonly number[]): Promise<string[]> {
  const draws = seeds.map(drawOf);
  const played = await playAll(
    PLACE,
    draws.map(({ seed, edits, mayChange }) => ({
      name: `draw ${seed}`,
      edits: textOf(edits),
      task: { mayChange },
      mayLand: true,
    })),
  );
  const world = await openWorld();
  const wrong: string[] = [];
  for (const draw of draws) {
    const truth = await world.truthOf(draw);
    const problem = problemOf(draw, truth, played);
    const { word, said } = played.ends.get(`draw ${draw.seed}`)!;
    const what = draw.edits.map((edit) => edit.what).join(", ");
    if (problem !== undefined)
      wrong.push(
        `RALPH_SEED=${draw.seed}: ${problem}; ${what}; may change: ${draw.mayChange.join(" ")}; ${word}: ${said}`,
      );
  }
  const { before, after, left } = played;
  const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
  if (changed.length + left.length > 0) wrong.push(`the person's ${changed.join(", ")} changed, or processes are left`);
  return wrong;
}

/** One edit may fail, as `git mv` of a file that is gone; the others count. */
const textOf = (edits: Draw["edits"]): string => edits.map(({ edits: text }) => `( ${text} )`).join("\n");

const isTest = (path: string): boolean => path.startsWith("tests/");

function problemOf({ seed, mayChange }: Draw, { checks, deciding, work }: Truth, played: Played): string | undefined {
  const { word, said, called } = played.ends.get(`draw ${seed}`)!;
  const isAccepted = word === "proven" || word === "unbroken";
  if (isAccepted && checks === "red") return "accepted, although the base's checks are red";
  if (isAccepted && work.length + deciding.length === 0) return "accepted without a change";
  const open = deciding.filter((path) => !matchesAny(mayChange, path));
  if (work.length > 0 && deciding.length === 0 && checks === "green" && !isAccepted) {
    return "honest work was not accepted";
  }
  if (word === "look" && !open.some(isTest)) return "to look at, although no test changed";
  if (word === "asked" && open.every(isTest)) return "asked, although nothing that decides changed";
  if (word === "none") return "no verdict";
  const proof = proofOf(played, `draw ${seed}`);
  return proof !== undefined && proof !== called ? `called ${proof} in its commit (${said})` : undefined;
}

interface World {
  readonly truthOf: (draw: Draw) => Promise<Truth>;
}

/** A repository from which each candidate is made anew, and one in which the base's checks run. */
async function openWorld(): Promise<World> {
  // Our own files are protected, and decide as well.
  const base = temporaryRepository({
    ...PLACE.files,
    ".ralph/config.yaml": "gates: make check\n",
    "mine.txt": "mine\n",
  });
  const candidate = join(temporaryFolder(), "candidate");
  const fresh = temporaryFolder();
  copyFolder(base, fresh);
  const known = new Map<string, "red" | "green">();
  return {
    truthOf: async ({ edits, mayChange }) => {
      const make = `rm -rf '${candidate}'; cp -a '${base}' '${candidate}'; cd '${candidate}'`;
      await sh(
        `${make}\n${textOf(edits)}\ngit add -A; git update-index --no-assume-unchanged sum.txt; git add -A`,
        base,
      );
      const paths = git(candidate, "diff", "--cached", "--name-only", "--no-renames", git(base, "rev-parse", "HEAD"))
        .split("\n")
        .filter(Boolean);
      const isSource = (path: string): boolean => PLACE.sources.test(path);
      const taken = paths.filter((path) => isSource(path) || matchesAny(mayChange, path));
      const tree = git(candidate, "write-tree");
      const key = git(candidate, "ls-tree", "-r", tree, "--", ...taken);
      const name = `${taken.join(" ")}\n${taken.length === 0 ? "" : key}`;
      if (!known.has(name)) known.set(name, await checksOf(taken));
      return {
        checks: known.get(name)!,
        deciding: paths.filter((path) => !isSource(path)),
        work: paths.filter(isSource),
      };
    },
  };

  async function checksOf(taken: readonly string[]): Promise<"red" | "green"> {
    await sh("git checkout -q . && git clean -fdxq", fresh);
    for (const path of taken) {
      rmSync(join(fresh, path), { force: true });
      mkdirSync(dirname(join(fresh, path)), { recursive: true });
      if (git(candidate, "ls-files", path) !== "") copyFileSync(join(candidate, path), join(fresh, path));
    }
    for (const gate of Object.values(PLACE.gates)) if ((await sh(gate, fresh)) !== 0) return "red";
    return "green";
  }
}

const tools = (): string => [toolsFolder(), process.env["PATH"]].join(delimiter);

const sh = async (command: string, cwd: string): Promise<number> => {
  const env = { PATH: tools(), HOME: cwd };
  return await new Promise((resolve) => {
    execFile("/bin/sh", ["-c", command], { cwd, env }, (error) => resolve(error === null ? 0 : 1));
  });
};
