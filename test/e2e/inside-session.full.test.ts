import { expect, test } from "vitest";
import { byLane } from "../lane.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { typed } from "../recording-io.ts";

const WAIT = 'while kill -0 "$(cat .git/pid)" 2>/dev/null; do sleep 0.02; done';

/** Ways in which an agent can call ralphctl as if it were a person. Each gets its words as arguments of a shell. */
const DISGUISES: Readonly<Record<string, string>> = {
  "no variables": 'env -i PATH="$PATH" HOME="$HOME" ralphctl "$@"',
  "no variables and no parent": `(env -i PATH="$PATH" HOME="$HOME" ralphctl "$@" & echo $! >.git/pid); ${WAIT}`,
  "variables emptied": 'RALPHCTL_ATTEMPT= RALPHCTL_DOOR= ralphctl "$@"',
  "no attempt, no parent, another session": `(setsid -w nohup env -u RALPHCTL_ATTEMPT ralphctl "$@" & echo $! >.git/pid); ${WAIT}`,
};

const kinds = Object.keys(DISGUISES).slice(0, byLane(2, 4));

test.concurrent.each(kinds)("T-16 an agent is inside its session, and no person: %s", async (kind) => {
  const place = await loopWorkspace({
    tasks: ["Do it", "Other"],
    files: { "as-person.sh": `cd "$HOME" && { ${DISGUISES[kind]}; } >>.git/tried.log 2>&1 || true\n` },
    script: ([, other]) => `
- - run: sh as-person.sh task drop ${other}
  - run: sh as-person.sh task edit ${other} --title Mine
  - run: sh as-person.sh task done ${other}
  - run: sh as-person.sh context add Trust
  - say: Not yet.
`,
  });
  expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["idle"]);
  expect(await place.states()).toEqual({ "Do it": "pending", Other: "pending" });
  expect((await typed(["context", "show"], { cwd: place.folder })).stdout).toBe("");
  const refusals = place.read(".git/tried.log").match(/^error: .*/gm);
  expect(refusals?.map((line) => line.replace(/: t-\w+$/, ""))).toEqual([
    "error: ralphctl task drop cannot run inside a session",
    "error: ralphctl task edit cannot run inside a session",
    expect.stringMatching(/can claim only its own task|has no assigned task/),
    "error: ralphctl context add cannot run inside a session",
  ]);
});

test.concurrent("T-16 a check that runs an agent's code is no person; a person's hook is", async () => {
  const place = await loopWorkspace({
    tasks: ["Do it", "Other"],
    config: `gates:\n  - { id: test, run: sh ./test.sh }
hooks:\n  - { id: note, on: iteration-end, run: 'cd "$RALPHCTL_WORKSPACE" && ralphctl context add Noted' }\n`,
    files: { "test.sh": "true\n" },
    script: ([, other]) => `
- - write: { path: test.sh, text: 'cd "$HOME"; (ralphctl task drop ${other}; env -i PATH="$PATH" ralphctl task drop ${other}) 2>>.git/tried.log; true' }
  - say: <task-done>{task}</task-done>
`,
  });
  await place.run("--max-iterations", "1");
  expect((await place.states())["Other"]).toBe("pending");
  expect(place.read(".git/tried.log").match(/task drop cannot run inside a session/g)).toHaveLength(2);
  expect((await typed(["context", "show"], { cwd: place.folder })).stdout).toContain("Noted");
});
