// `npm run mutants [NAME …]`: takes each check of the verdict out once, in a copy of the tree, and expects its test to fail.
// test/mutants.yaml lists them. NAME: of a mutant, or a part of its file's path. Fails if a mutant survives.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const LIMIT_MS = 300_000;
/** For all tests together, as the tree is. */
const PLAIN_LIMIT_MS = 1_800_000;
const isFull = ({ test, lane }) => lane === "full" || test.endsWith(".full.test.ts");
const escaped = (title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const all = Object.entries(parse(readFileSync(join(root, "test/mutants.yaml"), "utf8"))).flatMap(([file, mutants]) =>
  mutants.map((mutant) => ({ file, ...mutant })),
);
const names = process.argv.slice(2);
const isNamed = ({ name, file }) => names.length === 0 || names.some((word) => word === name || file.includes(word));
const chosen = all.filter(isNamed);
if (chosen.length === 0) {
  console.error(`There is no mutant called ${names.join(", ")}. There are: ${all.map(({ name }) => name).join(", ")}`);
  process.exit(64);
}

const parent = mkdtempSync(join(tmpdir(), "ralphctl-mutants-"));
const children = new Set();
process.on("exit", () => {
  for (const child of children) child.kill();
  rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const workers = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, (_, index) => copyTree(index));
const red = await inTurn(plainRuns(chosen), async (folder, run) => {
  const { failed, problem } = await play(folder, { ...run, limitMs: PLAIN_LIMIT_MS });
  return problem ?? (failed.length > 0 ? `Without a mutant: ${failed.join(", ")}` : undefined);
});
if (red.some(Boolean)) {
  console.error(`These tests fail already, so they cannot tell:\n${red.filter(Boolean).join("\n")}`);
  process.exit(1);
}
const bad = (await inTurn(chosen, tryMutant)).filter(Boolean);
console.log(`\n${chosen.length - bad.length} of ${chosen.length} mutants were killed.`);
for (const line of bad) console.log(line);
process.exitCode = bad.length === 0 ? 0 : 1;

/** All files that git would commit, and the built program. */
function copyTree(index) {
  const folder = join(parent, String(index + 1));
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  for (const path of files.filter((path) => existsSync(join(root, path)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { preserveTimestamps: true, verbatimSymlinks: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  if (existsSync(join(root, "dist"))) {
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true, preserveTimestamps: true });
  }
  return folder;
}

/** One run for each lane, with and without titles: the tests must pass as the tree is. */
function plainRuns(mutants) {
  const runs = new Map();
  for (const mutant of mutants) {
    const { test, title } = mutant;
    const key = `${isFull(mutant)} ${title !== undefined}`;
    const run = runs.get(key) ?? { isFull: isFull(mutant), tests: new Set(), titles: new Set() };
    run.tests.add(test);
    if (title !== undefined) run.titles.add(escaped(title));
    runs.set(key, run);
  }
  return [...runs.values()].map(({ isFull, tests, titles }) => ({
    isFull,
    tests: [...tests],
    title: [...titles].join("|"),
  }));
}

/** Gives each worker the next job, and returns the answers in the order of the jobs. */
async function inTurn(jobs, action) {
  const answers = [];
  let next = 0;
  const work = async (folder) => {
    while (next < jobs.length) {
      const index = next++;
      answers[index] = await action(folder, jobs[index]);
    }
  };
  await Promise.all(workers.map(work));
  return answers;
}

/** Undefined if the test fails with the mutant, as it should. */
async function tryMutant(folder, mutant) {
  const { name, file, find, put, rule, test, title } = mutant;
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const count = text.split(find).length - 1;
  const say = (word, why) => {
    console.log(`${word.padEnd(9)} ${rule.padEnd(5)} ${name}`);
    return why && `${name}: ${why}`;
  };
  if (count !== 1) return say("not found", `its text is ${count} times in ${file}`);
  writeFileSync(
    path,
    text.replace(find, () => put),
  );
  const words = title === undefined ? "" : escaped(title);
  const { failed, problem } = await play(folder, { isFull: isFull(mutant), tests: [test], title: words });
  writeFileSync(path, text);
  if (problem !== undefined) return say("broken", problem);
  return failed.length > 0 ? say("killed") : say("SURVIVED", `no test of ${test} fails if ${file} does without it`);
}

/** The titles of the tests that fail. A test that hangs fails. */
async function play(folder, { isFull, tests, title, limitMs = LIMIT_MS }) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", ...tests, "--reporter=json", `--outputFile=${report}`];
  // One for each worker: another one would find the mutant of the first in it.
  args.push("--experimental.fsModuleCache", `--experimental.fsModuleCachePath=${folder}-cache`);
  if (title !== "") args.push("-t", title);
  const env = { ...process.env, ...(isFull && { RALPH_FULL: "1", RALPH_CLAIMS: "all" }) };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  children.add(child);
  const timer = setTimeout(() => child.kill(), limitMs);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  children.delete(child);
  if (!existsSync(report)) return { failed: [], problem: `vitest made no report:\n${output.slice(-2000)}` };
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = ran.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const unloaded = testResults.find(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  if (unloaded !== undefined) return { failed, problem: `${unloaded.name} does not load: ${unloaded.message}` };
  const hasRun = ran.some(({ status }) => status === "passed" || status === "failed");
  return hasRun ? { failed } : { failed, problem: `no test of ${tests.join(", ")} is called ${title}` };
}
