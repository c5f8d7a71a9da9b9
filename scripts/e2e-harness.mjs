// `npm run e2e:harness [NAME …]`: runs of real agent CLIs with a scripted model on loopback, with a table of what came
// of them. Names are those of CLIs and of cases. `--patience SECONDS`: a CLI that takes longer to get is left out.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { patience: { type: "string" } } });
const env = {
  ...process.env,
  RALPH_REAL_CLIS: positionals.join(" "),
  ...(values.patience === undefined ? {} : { RALPH_REAL_PATIENCE_S: values.patience }),
};
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], { stdio: "inherit", env });
process.exitCode = status ?? 1;
