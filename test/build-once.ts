import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { folderInMemory } from "./memory-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what tests copy, see `templateFolder`. */
    templates: string;
  }
}

/** Before the first test. What is returned is done after the last. */
export function setup({ provide }: TestProject): () => void {
  buildIfOld();
  process.env["RALPH_REPORTS"] ??= join(tmpdir(), "ralphctl-reports"); // which outlive the tests
  const folder = folderInMemory() ?? realpathSync(mkdtempSync(join(tmpdir(), "ralphctl-tests-")));
  // Tests, and all that they start with their own environment, have their temporary folders here.
  process.env["TMPDIR"] = folder;
  const templates = join(folder, "templates");
  mkdirSync(templates);
  provide("templates", templates);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The end-to-end tests run the built program: build it if a source is newer than what is there. */
function buildIfOld(): void {
  const built = join("dist", "bin.js");
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => join("src", path));
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-types"], { stdio: "inherit" });
}
