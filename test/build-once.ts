import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what tests copy, see `templateFolder`. */
    templates: string;
  }
}

/** Before the first test. What is returned is done after the last. */
export function setup({ provide }: TestProject): () => void {
  buildIfOld();
  const templates = realpathSync(mkdtempSync(join(tmpdir(), "ralphctl-templates-")));
  provide("templates", templates);
  return () => rmSync(templates, { recursive: true, force: true, maxRetries: 5 });
}

/** The end-to-end tests run the built program: build it if a source is newer than what is there. */
function buildIfOld(): void {
  const built = join("dist", "bin.js");
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => join("src", path));
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-types"], { stdio: "inherit" });
}
