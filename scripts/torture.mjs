// `npm run torture [NAME …]`: all cases of test/torture, or those named, with a table of what came of them.
// `--sandbox KIND`: agents and gates in a sandbox.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { sandbox: { type: "string" } } });
const env = {
  ...process.env,
  RALPH_TORTURE: positionals.join(" "),
  ...(values.sandbox === undefined ? {} : { RALPH_TORTURE_SANDBOX: values.sandbox }),
};
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], { stdio: "inherit", env });
process.exitCode = status ?? 1;
