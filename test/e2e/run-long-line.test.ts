import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, seen } from "../run-seen.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";

const BLANKS = "head -c 17000000 /dev/zero | tr '\\0' ' '";

/** First it claims before a long line, at its beginning and at its end; the second time after one. */
const AGENT = `
echo yes > done.txt
sigil="<task-done>$RALPHCTL_TASK</task-done>"
test "$RALPHCTL_ITERATION" = 1 && echo "$sigil" && printf %s "$sigil"
${BLANKS}
test "$RALPHCTL_ITERATION" = 1 && echo ". $sigil" && exit
echo; echo "$sigil"
`;

test.concurrent("P-10 P-11 nothing in or before a line that is too long is a claim; what stands after it is", async () => {
  const place = await loopWorkspace({
    script: "[]",
    files: { "agent.sh": AGENT },
    harnesses: { command: "run: sh agent.sh" },
  });
  const run = await place.run("--harness", "command");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["unfinished", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["2 done message"]);
  const file = (iteration: number): string => `.ralph/runs/${run.name}/${iteration}/transcript.ndjson`;
  const sigil = `<task-done>${place.ids[0]}</task-done>`.length;
  const bytes = sigil + 17_000_000 + 2 + sigil;
  expect(eventsOf(run, "agent.long-line")).toEqual([
    { type: "agent.long-line", bytes, file: file(1), offset: sigil + 1, iteration: 1 },
    { type: "agent.long-line", bytes: 17_000_000, file: file(2), offset: 0, iteration: 2 },
  ]);
  expect(statSync(join(place.folder, file(1))).size).toBe(sigil + 1 + bytes + 1);
});

/** Says in Claude Code's lines that it is done; the last line is a whole result. */
const CLAUDE = `#!/bin/sh
cat > /dev/null
echo yes > done.txt
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"<task-done>'$RALPHCTL_TASK'</task-done>"}]}}'
printf %s '{"type":"result","subtype":"success","is_error":false,"result":""'
test "$RALPHCTL_ITERATION" != 1 || ${BLANKS}
echo '}'
`;

test.concurrent("P-14 a result that is too long to be read is none: the session failed", async () => {
  const folder = temporaryFolder();
  write(folder, { claude: CLAUDE });
  chmodSync(join(folder, "claude"), 0o755);
  const place = await loopWorkspace({ script: "[]", harnesses: { claude: `bin: ${join(folder, "claude")}` } });
  const run = await place.run("--harness", "claude");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["crashed", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["2 done message"]);
  expect(eventsOf(run, "agent.long-line").map(({ iteration, bytes }) => [iteration, bytes])).toEqual([[1, 17_000_066]]);
  const [failed] = eventsOf(run, "iteration.finished");
  expect(failed?.reason).toBe("The agent ended with exit code 0 and no result");
});
