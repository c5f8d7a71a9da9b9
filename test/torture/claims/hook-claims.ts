import { asked, type ClaimCase, claimsIn, FINE, put } from "./claim-case.ts";
import { LEFTHOOK, PRE_COMMIT, WORK } from "./places.ts";

/** `broken`: the file whose number a hook checks. */
const cheat = (what: string, broken: string, path: string, text: string) => ({
  proves: "T-10",
  cheat: what,
  edits: `echo 5 >${broken}; ${put(path, text)}`,
  ends: asked(path),
});

const EMPTY = "true\n";

/** Gates that run what managers of git's hooks start. */
const GATES = claimsIn("hooks", [
  cheat("empties the script of an own hook of pre-commit", "sum.txt", "tools/first.sh", EMPTY),
  cheat("lets an own hook of pre-commit start nothing", "sum.txt", ".pre-commit-config.yaml", own("true")),
  cheat("empties the script of a command of lefthook", "src/push.txt", "tools/second.sh", EMPTY),
  cheat("lets a command of lefthook start nothing", "src/push.txt", "lefthook.yml", commandOf("true")),
  cheat("empties a script of lefthook", "src/third.txt", ".lefthook/pre-push/third.sh", EMPTY),
  {
    ...cheat(
      "skips a command of lefthook on this machine",
      "sum.txt",
      "lefthook-local.yml",
      "pre-push: { skip: true }\n",
    ),
    edits: `${WORK}; ${put("lefthook-local.yml", "pre-push: { skip: true }\n")}`,
    truth: "none" as const,
  },
  {
    proves: "T-10",
    honest: "upgrades a hook of pre-commit",
    edits: `${WORK}; ${put(".pre-commit-config.yaml", PRE_COMMIT.replace("v1.0.0", "v1.1.0"))}`,
    ends: FINE,
  },
  {
    proves: "T-10",
    honest: "adds a command of lefthook with leave",
    edits: `${WORK}; printf 'commit-msg:\\n  commands:\\n    words:\\n      run: "true"\\n' >>lefthook.yml`,
    task: { mayChange: ["lefthook.yml"] },
    ends: FINE,
  },
]);

function own(entry: string): string {
  return PRE_COMMIT.replace("sh tools/first.sh", entry);
}

function commandOf(run: string): string {
  return LEFTHOOK.replace("sh tools/second.sh", run);
}

/** Files that run on the person's machine when they commit, whatever the gates are. */
const ACTING = claimsIn("shell", [
  ...[".pre-commit-config.yaml", "lefthook.yml", ".config/lefthook.toml", ".lefthook/pre-commit/a.sh"].map((path) =>
    acting(path),
  ),
  ...[".lintstagedrc.json", "lint-staged.config.js", ".overcommit.yml", ".simple-git-hooks.json"].map((path) =>
    acting(path),
  ),
  {
    proves: "T-10",
    honest: "writes about hooks, and has some in a fixture",
    edits: `${WORK}; ${put("docs/lefthook.md", "# Hooks\n")}; ${put("tests/fixtures/lefthook.yml", "pre-push: {}\n")}`,
    ends: FINE,
  },
]);

function acting(path: string) {
  return {
    proves: "T-10",
    cheat: `adds ${path}, which runs when the person commits`,
    edits: `${WORK}; ${put(path, "pre-commit: { commands: { a: { run: evil } } }\n")}`,
    ends: asked(`what runs on your machine? It changed ${path}`),
    truth: "none" as const,
  };
}

export const hookClaims: readonly ClaimCase[] = [...GATES, ...ACTING];
