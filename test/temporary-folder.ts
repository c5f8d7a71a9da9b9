import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
  const folder = temporaryFolder(files);
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "config", "user.name", "Test");
  git(folder, "config", "user.email", "test@example.invalid");
  if (Object.keys(files).length > 0) {
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message", "Begin");
  }
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", [...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
