import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The end-to-end tests run the built program: build it if a source is newer than what is there. */
export function setup(): void {
  const built = join("dist", "bin.js");
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => join("src", path));
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-types"], { stdio: "inherit" });
}
