import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { atEnd } from "./at-end.ts";

/** A new folder with these files, removed when the test file is through. */
export function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralphctl-test-")));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  write(folder, files);
  return folder;
}

/** The same as a git repository with one commit. */
export function temporaryRepository(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  copyFolder(emptyRepository(), folder);
  write(folder, files);
  if (Object.keys(files).length > 0) commitAll(folder, "Begin");
  return folder;
}

let madeRepository: string | undefined;

/** Made once in each worker: to copy it takes a tenth of the time. */
function emptyRepository(): string {
  if (madeRepository !== undefined) return madeRepository;
  const folder = templateFolder();
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "config", "user.name", "Test");
  git(folder, "config", "user.email", "test@example.invalid");
  for (const sample of readdirSync(join(folder, ".git/hooks"))) rmSync(join(folder, ".git/hooks", sample));
  return (madeRepository = folder);
}

/** A new folder that tests of this worker copy; removed when all tests are through. */
export const templateFolder = (): string => mkdtempSync(join(inject("templates"), "template-"));

/** Tests write the settings of their repositories themselves (B-01). */
export const TRUSTED = { RALPHCTL_TRUST: "1" } as const;

/**
 * The variables of a user whose home is a folder of a test. Lanes lie elsewhere: a repository cannot hold its own. Sessions
 * have no process namespace: many agents of tests kill ralphctl, or tell the numbers of their processes.
 */
export const homeOf = (folder: string) =>
  ({
    HOME: folder,
    XDG_STATE_HOME: join(inject("templates"), "state"),
    RALPHCTL_PROCESSES_NAMESPACE: "off",
    ...TRUSTED,
    ...sandboxed(),
  }) as const;

/** `npm run torture -- --sandbox KIND`. Agents of tests write beside their lanes; `trial.ts` is stricter. */
function sandboxed(): { readonly RALPHCTL_SANDBOX_AGENT?: string; readonly RALPHCTL_SANDBOX_WRITE?: string } {
  const kind = process.env["RALPH_TORTURE_SANDBOX"];
  return kind === undefined
    ? {}
    : { RALPHCTL_SANDBOX_AGENT: kind, RALPHCTL_SANDBOX_WRITE: dirname(inject("templates")) };
}

/** Times are kept, so that git need not look into files that its index knows. */
export const copyFolder = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });

/** In one shell: Node copies the page tables of this large process for each program that it starts. */
export function commitAll(folder: string, message: string): void {
  // A repository that is minutes old needs no maintenance, which git would start a program for.
  const commands = 'git add --all && git -c maintenance.auto=false commit --quiet --message "$0"';
  execFileSync("/bin/sh", ["-c", commands, message], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", [...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Refs under which ralphctl keeps work that did not land. */
export const keptRefs = (folder: string): string[] =>
  git(folder, "for-each-ref", "--format=%(refname)", "refs/ralph")
    .split("\n")
    .filter((ref) => ref !== "" && !/^refs\/ralph\/(target|followed)/.test(ref));
