import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, script, sh } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CHECK = "test -f done.txt\n";
const NAME = createHash("sha1").update(`blob ${CHECK.length}\0${CHECK}`).digest("hex");

test("T-10 what decides is read from the base while the agent works, so that its claim finds it in memory", async () => {
  const bin = temporaryFolder({ asked: "" });
  const [asked, path] = [join(bin, "asked"), process.env["PATH"]!];
  // Writes down which objects git is asked for one after the other.
  const tell = `case " $* " in *" --batch-command "*) tee -a '${asked}' | PATH='${path}' exec git "$@" ;; *)`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${tell} PATH='${path}' exec git "$@" ;; esac\n`, { mode: 0o755 });
  const waits = `for i in $(seq 600); do grep -q ${NAME} '${asked}' && echo yes > done.txt && break; sleep 0.1; done`;
  const place = await loopWorkspace({
    tasks: ["One"],
    files: { "check.sh": CHECK },
    config: "gates: [{ id: test, run: sh check.sh }]\n",
    script: script([sh(waits), DONE]),
    env: { PATH: `${bin}:${path}` },
  });
  expect((await place.run()).outcomes).toEqual(["verified"]);
});
