import { transformSync } from "esbuild";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { alike } from "./alike.ts";
import { shellWord } from "../src/domain/shell-word.ts";
import { PROGRAM, start } from "./built-program.ts";
import { workflowSteps } from "./check-block.ts";
import { type Block, blocksOf, fileOf } from "./guide-blocks.ts";
import { homeOf, git, temporaryFolder } from "./temporary-folder.ts";

/** What is there before the first line of a guide is typed. */
export interface Prepared {
  /** Of the repository, committed. */
  readonly files: Readonly<Record<string, string>>;
  /** What the agent plays. */
  readonly script: string;
  /** Those of them that can be started. */
  readonly executable?: readonly string[];
  /** Its samples are screens of a terminal, and here is none: other tests draw them. */
  readonly hasScreens?: boolean;
  /** What must be seen, beside the samples of the guide itself: there, numbers and ids may differ. */
  readonly shows?: readonly string[];
  /** Blocks that are run elsewhere, by what they say. */
  readonly skipped?: readonly string[];
}

export interface Followed {
  readonly code: number;
  /** All that was typed and printed, in its order. */
  readonly seen: string;
  /** What nothing has printed of the guide's samples, and of what must be seen. */
  readonly unseen: readonly string[];
}

/** Does what a guide says, block for block in one shell, as a reader would; the first command that fails ends it. */
export async function follow(file: string, prepared: Prepared): Promise<Followed> {
  const { files, script, executable = [], shows = [], skipped = [], hasScreens = false } = prepared;
  const blocks = blocksOf(file).filter(({ text }) => !skipped.includes(text));
  // The repository has a folder around it, for working trees beside it.
  const folder = temporaryFolder({
    "script.yaml": script,
    "bin/ralphctl": `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`,
    // The program is on the PATH already: nothing is to be installed from anywhere.
    "bin/npm": `#!/bin/sh\ncase $1 in install | ci) ;; *) exec "${join(dirname(process.execPath), "npm")}" "$@" ;; esac\n`,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`here/${path}`, text])),
    ...Object.fromEntries(
      blocks.map((block, index) => [`block-${index}${ENDINGS[block.kind] ?? ""}`, fileText(block)]),
    ),
  });
  const programs = ["bin/ralphctl", "bin/npm", ...executable.map((path) => `here/${path}`)];
  for (const program of programs) chmodSync(join(folder, program), 0o755);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(process.cwd(), join(folder, "node_modules/ralphctl"));
  const cwd = join(folder, "here");
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, "config", "user.name", "Test");
  git(cwd, "config", "user.email", "test@example.invalid");
  git(cwd, "add", "--all");
  git(cwd, "commit", "--quiet", "--message", "Begin");
  git(folder, "init", "--quiet", "--bare", "origin.git");
  git(cwd, "remote", "add", "origin", join(folder, "origin.git"));
  const env = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    ...homeOf(folder),
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
    RALPHCTL_HARNESS: "scripted",
    RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: join(folder, "script.yaml"),
  };
  const commands = blocks.map((block, index) => commandsOf(block, join(folder, `block-${index}`)));
  const { code, stdout: seen } = await start("sh", ["-c", ["exec 2>&1", "set -ex", ...commands].join("\n")], {
    cwd,
    env,
  });
  return {
    code,
    seen,
    unseen: [...(hasScreens ? [] : unseenIn(blocks, seen)), ...shows.filter((text) => !seen.includes(text))],
  };
}

const ENDINGS: Readonly<Record<string, string>> = { js: ".mjs", ts: ".mjs" };

/** TypeScript without its types: not every Node runs it as it is. */
const fileText = ({ kind, text }: Block): string =>
  kind === "ts" ? transformSync(text, { loader: "ts", format: "esm" }).code : text;

/** What a reader does with a block. What it says is checked elsewhere. */
function commandsOf(block: Block, copy: string): string {
  const file = fileOf(block);
  if (file !== undefined) {
    const written = `mkdir -p ${shellWord(dirname(file))} && cp ${shellWord(copy)} ${shellWord(file)}`;
    return [written, ...(file.startsWith(".github/workflows/") ? ciCommands(block) : [])].join("\n");
  }
  if (block.kind === "sh") return block.text.split("\n").map(expectedEnd).join("\n");
  return block.kind in ENDINGS ? `node ${shellWord(`${copy}.mjs`)}` : ":";
}

/** A workflow's steps, each in a shell of its own, as a build server starts them. */
const ciCommands = ({ text }: Block): string[] =>
  workflowSteps(parse(text)).map(({ run, env }) => {
    // What the server would fill in is given by whoever starts the workflow.
    const given = Object.entries(env).map(
      ([name, value]) => `${name}=${shellWord(value.replace(/\$\{\{.*\}\}/, "Greet"))}`,
    );
    return `CI=true GITHUB_RUN_ID=1 ${given.join(" ")} sh -e -c ${shellWord(run)} </dev/null`;
  });

/** A command with the comment `# ends with 4` must do that. */
function expectedEnd(line: string): string {
  const [, command, code] = /^(.*\S)\s+# ends with (\d+)\b/.exec(line) ?? [];
  return command === undefined ? line : `code=0; ${command} || code=$?; test "$code" -eq ${code}`;
}

/** Samples of output, line by line; `…` stands for what is left out. */
function unseenIn(blocks: readonly Block[], output: string): string[] {
  const seen = new Set(output.split("\n").map(loosely));
  const lines = blocks.filter(({ kind }) => kind === "text").flatMap(({ text }) => text.split("\n"));
  return lines.filter((line) => !["", "…"].includes(line.trim()) && !seen.has(loosely(line)));
}

/** Also without numbers, and without how far a line is moved to the right by them. */
const loosely = (line: string): string =>
  alike(line)
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, "COMMIT")
    .replaceAll(/\d+(?:[.:,]\d+)*/g, "0")
    .replaceAll(/(?:0h )?(?:0m )?\b0s\b/g, "0s")
    .replaceAll(/\/\S+\/(?:here|your-repository)\b(?:-[0-9a-f]{8})?/g, "FOLDER")
    .replaceAll(/\s+/g, " ")
    .trim();
