// Adds a gate that is a function: node examples/own-gate.mjs [FOLDER]
import { execFileSync } from "node:child_process";
import { run } from "ralphctl";

const [cwd = "."] = process.argv.slice(2);

/** @type {import("ralphctl").OwnGate} */
const noLeftovers = {
  id: "no-leftovers",
  check: ({ folder }) => {
    const args = ["grep", "--untracked", "-n", "-e", "FIXME", "--", ":!.ralph"];
    try {
      const output = execFileSync("git", args, { cwd: folder, encoding: "utf8" });
      return { passed: false, output: `Resolve these:\n${output}` };
    } catch (error) {
      return error.status === 1; // git grep found nothing
    }
  },
};

for await (const event of run({ cwd, gates: [noLeftovers] })) {
  // Gates without an iteration run before the first one, to record which fail already.
  if (event.type === "gate.finished" && event.iteration !== undefined)
    console.log(`${event.gate}: ${event.passed ? "passed" : `failed\n${event.output}`}`);
  if (event.type === "run.finished") console.log(event.ending);
}
