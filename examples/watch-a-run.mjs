// Runs the loop in a workspace and prints its progress: node examples/watch-a-run.mjs [FOLDER] ["WORDS"]
import { run } from "ralphctl";

const [cwd = ".", words] = process.argv.slice(2);
const started = run({ cwd, words, config: { limits: { iterations: 20, time: "2h" } } });

for await (const event of started) {
  if (event.type === "iteration.started")
    console.log(`Iteration ${event.iteration}: ${event.task?.title ?? event.mode}`);
  if (event.type === "iteration.finished") console.log(`  ${event.outcome}${event.reason ? `: ${event.reason}` : ""}`);
}

const { ending, verified, commits } = await started.finished;
console.log(`${ending}: ${verified} verified, ${commits} commits`);
process.exitCode = ending === "complete" ? 0 : 1;
