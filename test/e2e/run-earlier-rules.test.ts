import { expect, test } from "vitest";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { git } from "../temporary-folder.ts";

const CLAIM = { say: "<task-done>{task}</task-done>" };
const MAKEFILE = "check:\n\ttest -f proof.txt\n";

const noticesOf = ({ events }: LoopRun): string[] =>
  events.flatMap((event) => (event.type === "run.notice" ? [event.text] : []));

const reasonsOf = ({ events }: LoopRun): readonly string[] =>
  events.flatMap((event) => (event.type === "verdict.reached" ? event.reasons : []));

/** A workspace whose gate is discovered, and an agent that begins with these steps and claims in each session. */
const discovered = async (...steps: readonly object[]) =>
  await loopWorkspace({
    script: JSON.stringify([[...steps, CLAIM]]),
    tasks: ["Weaken"],
    config: "gates: auto\n",
    files: { Makefile: MAKEFILE },
  });

const WEAKENED = { write: { path: "Makefile", text: "check:\n\ttrue\n" } };

test.concurrent("P-16 a gate that a rejected session weakened is no better in the next run", async () => {
  const place = await discovered(WEAKENED);
  const first = await place.run("--max-iterations", "1");
  const second = await place.run("--max-iterations", "1");
  const reasons = ["the agent changed the definition of these gates: make-check"];
  expect([first.outcomes, second.outcomes, reasonsOf(first), reasonsOf(second)]).toEqual([
    ["rejected"],
    ["rejected"],
    reasons,
    reasons,
  ]);
  expect([place.commits(), place.git("show", "HEAD:Makefile")]).toEqual([[], MAKEFILE.trim()]);
  // A person's word is theirs, but they are told.
  const done = await place.ralphctl("task", "done", place.ids[0]!);
  expect(done.stderr).toContain("warning: An unverified session changed what these gates run: make-check\n");
});

test.concurrent("P-16 nor is it where the session committed it, and a person something else after that", async () => {
  const place = await discovered(WEAKENED, { commit: "Simplify" });
  await place.run("--max-iterations", "1");
  place.write({ "note.txt": "x" });
  git(place.folder, "add", "note.txt");
  git(place.folder, "commit", "--quiet", "--message", "Mine");
  expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["rejected"]);
});

test.concurrent("P-16 a definition that a person committed since holds", async () => {
  const place = await discovered({ write: { path: "work.txt", text: "x\n" } });
  expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["rejected"]);
  place.write({ Makefile: "check:\n\ttest -f work.txt\n" });
  git(place.folder, "commit", "--quiet", "--all", "--message", "Ask for less");
  const second = await place.run("--max-iterations", "1");
  expect([second.outcomes, second.finished?.ending]).toEqual([["verified"], "complete"]);
});

const WEAK_CONFIG = {
  run: "sed -i 's/test -f done.txt/echo fine/' .ralph/config.yaml; echo 'verify: { protect: [] }' >>.ralph/config.yaml",
};

test.concurrent("P-17 a configuration that a rejected session changed is put back, kept, and said", async () => {
  const place = await loopWorkspace({
    script: JSON.stringify([[WEAK_CONFIG, { write: { path: "a.txt", text: "x\n" } }, CLAIM]]),
    tasks: ["Weaken"],
  });
  const before = place.read(".ralph/config.yaml");
  const first = await place.run("--max-iterations", "1");
  expect([first.outcomes, place.read(".ralph/config.yaml") === before]).toEqual([["rejected"], false]);
  const second = await place.run("--max-iterations", "1");
  const ref = `refs/ralph/${place.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/ralph")}`;
  expect([second.outcomes, noticesOf(second).filter((text) => text.includes("Restored"))]).toEqual([
    ["rejected"],
    [
      `Restored protected files that a session of an earlier run had changed: .ralph/config.yaml; saved as ${ref}. To keep such a change, commit it yourself`,
    ],
  ]);
  expect(place.git("show", `${ref}:.ralph/config.yaml`)).toContain("protect: []");
  expect(place.commits()).toEqual([]);
});

test.concurrent("P-17 P-41 also where the run was killed in that session", async () => {
  const place = await loopWorkspace({
    script: JSON.stringify([
      [
        WEAK_CONFIG,
        { run: "test -f .git/cut || { touch .git/cut; kill -9 $(ps -o ppid= -p $PPID); sleep 300; }" },
        CLAIM,
      ],
    ]),
    tasks: ["Weaken"],
    isBuilt: true,
  });
  const before = place.read(".ralph/config.yaml");
  const cut = await place.run();
  expect([cut.finished, place.read(".ralph/config.yaml") === before]).toEqual([undefined, false]);
  const after = await place.run("--max-iterations", "1");
  expect([after.outcomes, noticesOf(after).some((text) => text.includes("had changed: .ralph/config.yaml"))]).toEqual([
    ["rejected"],
    true,
  ]);
  expect(place.commits()).toEqual([]);
});

test.concurrent("P-17 a configuration that a person committed since stays", async () => {
  const place = await loopWorkspace({
    script: JSON.stringify([[WEAK_CONFIG, { write: { path: "a.txt", text: "x\n" } }, CLAIM]]),
    tasks: ["Weaken"],
  });
  await place.run("--max-iterations", "1");
  git(place.folder, "commit", "--quiet", "--message", "I want that", "--", ".ralph/config.yaml");
  const second = await place.run("--max-iterations", "1");
  expect([second.outcomes, noticesOf(second).filter((text) => text.includes("Restored"))]).toEqual([["verified"], []]);
});
