import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scripted } from "../src/harness/scripted.ts";
import type { Print } from "./all.ts";
import { costOf, row } from "./measure.ts";
import { runSession, transcriptOf } from "./session.ts";
import { session as anySession } from "./harness-session.ts";

const AGENTS = 50;
const LINES_PER_SECOND = 200;
const SECONDS = 10;
const LINES = LINES_PER_SECOND * SECONDS;

/** Speaks as scripted agents do, one line at a time. In Perl: fifty Nodes would be what is measured. */
const AGENT = `use Time::HiRes qw(time sleep);
$| = 1;
my $start = time;
for my $n (1 .. ${LINES}) {
  print qq({"say":"line $n: the agent says what it does, and how far it has come with it"}\\n);
  my $rest = $start + $n / ${LINES_PER_SECOND} - time;
  sleep $rest if $rest > 0;
}
print qq({"end":"done"}\\n);
`;

/** Many agents at once, each of which talks all the time. */
export async function benchMany(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-many-"));
  try {
    writeFileSync(join(folder, "agent.pl"), AGENT);
    let heard = 0;
    const session = async (name: string): Promise<void> => {
      const { outcome } = await runSession({
        file: "perl",
        args: ["agent.pl"],
        reader: scripted.reader(anySession),
        folder,
        name,
        onEvent: ({ type }) => (heard += type === "agent.text" ? 1 : 0),
      });
      if (outcome.kind !== "done") throw new Error(`a session ended as ${JSON.stringify(outcome)}`);
    };
    const names = Array.from({ length: AGENTS }, (_, n) => String(n));
    const { ms, cpuMs } = await costOf(async () => await Promise.all(names.map(session)));
    const recorded = names.map((name) => readFileSync(transcriptOf(folder, name), "utf8").split("\n").length - 2);
    const all = AGENTS * LINES;
    const [lostEvents, lostLines] = [all - heard, all - recorded.reduce((sum, count) => sum + count, 0)];
    print(row(`${AGENTS} agents, ${LINES_PER_SECOND} lines a second`, "time", "cores", "events lost", "lines lost"));
    const cores = (cpuMs / ms).toFixed(2);
    print(row(`${all} lines`, `${(ms / 1000).toFixed(1)} s`, cores, String(lostEvents), String(lostLines)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
