// npm runs this after `npm ci`, and before it packs or links the package. `npm install --global .` on a fresh clone installs
// no development dependencies, so that the build would not find its tools: then they are installed first.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
if (!existsSync(join(root, "node_modules", "esbuild"))) {
  // The outer npm hands its own options on: this one must not install globally, nor elsewhere.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(global|location|prefix|omit|production)$/i.test(name),
  );
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", args, { cwd: root, stdio: "inherit", env: Object.fromEntries(own) });
}
await import("./build.mjs");
