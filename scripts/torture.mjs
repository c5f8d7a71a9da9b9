// `npm run torture [NAME …]`: all cases of test/torture, or those named, with a table of what came of them.
import { spawnSync } from "node:child_process";

const env = { ...process.env, RALPH_TORTURE: process.argv.slice(2).join(" ") };
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], { stdio: "inherit", env });
process.exitCode = status ?? 1;
