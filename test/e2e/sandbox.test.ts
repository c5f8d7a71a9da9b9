import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { probeNamespace } from "../../src/system/sandbox/probe.ts";
import { eventsOf, notices } from "../hostile-run.ts";
import { claim, noBwrap, printed, refused, secretive } from "../sandboxed-run.ts";
import { fileAppears, processesOf, startUnder } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { isRunning } from "../running-command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const noNamespace = (await probeNamespace(undefined, process.env))?.why;

describe.skipIf(noBwrap !== undefined)(`in bubblewrap${noBwrap === undefined ? "" : ` (${noBwrap})`}`, () => {
  test.concurrent("B-07 the agent's work lands, and the run says first which sandbox it has", async () => {
    const place = await secretive(() => []);
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(notices(run)[0]).toBe(
      "Sandbox: bwrap around agents and gates; it hides usual secrets, and all but the lane, caches and the agent's own folder is read-only",
    );
  });

  test.concurrent("B-07 B-09 an agent reads no secret and no other agent's login, and all else", async () => {
    const place = await secretive((home) => [
      {
        run: `cat ${home}/.ssh/id_ed25519; ls ${home}/.ssh; cat ${home}/.netrc; cat ${home}/.codex/auth.json; cat ${home}/notes.txt`,
      },
    ]);
    const run = await place.run();
    expect(run.code).toBe(0);
    expect(printed(run)).toContain("read me");
    expect(printed(run)).not.toMatch(/the key|the password|\{\}/);
    const hidden = [".ssh/id_ed25519", ".netrc", ".codex/auth.json"];
    expect(refused(run)).toEqual(hidden.map((name) => `read ${place.home}/${name}`));
  });

  test.concurrent("B-07 a plain program may say on either stream what it misses", async () => {
    const agent = "cat ~/.netrc 2>&1; echo x > done.txt; echo '<promise>COMPLETE</promise>'";
    const place = await secretive(() => [], {
      harness: "command",
      harnesses: { command: `run: ${JSON.stringify(agent)}` },
    });
    const run = await place.run();
    expect([run.code, refused(run)]).toEqual([0, [`read ${place.home}/.netrc`]]);
  });

  test.concurrent("B-07 B-09 an agent writes in its lane, its temporary folder and caches, and nowhere else", async () => {
    const place = await secretive((home) => [
      {
        run: `for path in {home}/evil.txt {home}/.git/evil {home}/.ralph/evil ${home}/evil "$PWD/../../evil"; do
          echo x > "$path" && echo "wrote $path"
        done
        for path in here.txt "$TMPDIR/x" ${home}/.cache/x /tmp/x .git/x; do echo x > "$path" && echo "allowed $path"; done`,
      },
    ]);
    const run = await place.run();
    expect(run.code).toBe(0);
    expect(printed(run)).not.toContain("wrote");
    expect(refused(run)).toContain(`write ${place.folder}/evil.txt`);
    expect(printed(run).match(/allowed/g)).toHaveLength(5);
    expect(existsSync(join(place.folder, "evil.txt"))).toBe(false);
  });

  test.concurrent("B-07 L-02 an agent cannot damage the objects of the repository, wherever its lane has them from", async () => {
    const place = await secretive(() => [
      {
        run: `for folder in .git/objects $(cat .git/objects/info/alternates); do
          for file in $(find "$folder" -type f ! -name alternates); do
            chmod u+w "$file" && echo x > "$file" && echo "wrote $file"
            ln "$file" link && echo "linked $file"
          done
        done; git log -1 --format=%s`,
      },
    ]);
    const begun = place.git("log", "-1", "--format=%s");
    const run = await place.run();
    expect([run.code, printed(run).match(/wrote|linked/g)]).toEqual([0, null]);
    expect(printed(run)).toContain(begun);
    expect(place.git("fsck", "--full", "--strict")).not.toMatch(/corrupt|missing|error/);
  });

  test.concurrent("B-07 also as root an agent changes no setting of the machine, and reads no passwords", async () => {
    // To open a setting for writing changes nothing.
    const place = await secretive(() => [
      {
        run: `for path in kernel/core_pattern kernel/modprobe vm/drop_caches net/ipv4/ip_forward; do
          [ -e /proc/sys/$path ] && true >> /proc/sys/$path && echo "opened $path"
        done; grep -c : /etc/shadow; echo looked`,
      },
    ]);
    const run = await place.run();
    expect([run.code, printed(run)]).toEqual([0, expect.stringContaining("looked")]);
    expect(printed(run)).not.toMatch(/opened|^[1-9]\d*$/m);
  });

  test.concurrent("B-07 B-09 an agent cannot kill what started it, and leaves no daemon, marked or not", async () => {
    const seconds = 3000 + Math.floor(Math.random() * 1e6);
    const place = await secretive(() => [
      {
        run: `kill -9 $(ps -o ppid= -p $PPID); kill -9 1; setsid env -i sleep ${seconds} & sleep ${seconds} & echo alive`,
      },
    ]);
    const run = await place.run();
    expect([run.code, printed(run)]).toEqual([0, expect.stringContaining("alive")]);
    expect(eventsOf(run, "session.stopped").map(({ why }) => why)).toEqual([
      "It left 2 processes running, and ralphctl ended them",
    ]);
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
  });

  test.concurrent("B-07 a session reaches its run through the door, by command and by git", async () => {
    const place = await secretive(() => [
      {
        run: 'ralphctl task add "From inside" && git add -A && git commit --allow-empty -qm "My own" && git log -1 --format=%s',
      },
    ]);
    const run = await place.run("--max-iterations", "1");
    expect(printed(run)).toContain("My own");
    expect(await place.states()).toEqual({ "Do it": "done", "From inside": "pending" });
  });

  test.concurrent.each(["same", "off"])("B-07 around gates and set-up there is one of their own: %s", async (gates) => {
    const place = await secretive(() => [], {
      config: `gates:\n  - { id: test, run: "test -f done.txt; cat ~/.netrc; touch {home}/by-gate built" }\nlanes: { setup: "touch {home}/by-setup; touch prepared" }\nsandbox: { gates: ${gates} }\n`,
      files: { ".gitignore": "built\nprepared\nby-*\n" },
    });
    const run = await place.run();
    const [, proof] = eventsOf(run, "gate.finished").filter(({ gate }) => gate === "test");
    const isOff = gates === "off";
    expect(["by-gate", "by-setup"].map((name) => existsSync(join(place.folder, name)))).toEqual([isOff, isOff]);
    expect(proof?.output.includes("the password")).toBe(isOff);
    const told = `The sandbox does not let the gate test read ${place.home}/.netrc; sandbox.read allows it`;
    expect(notices(run).includes(told)).toBe(!isOff);
    expect(run.code).toBe(isOff ? 0 : 1);
  });

  test.concurrent("B-07 the configuration hides more, and shows and lets write what it names", async () => {
    const place = await secretive(
      (home) => [{ run: `cat ${home}/notes.txt; cat ${home}/.netrc; echo x > ${home}/out/x && echo wrote` }],
      {
        config:
          "gates:\n  - { id: test, run: test -f done.txt }\nsandbox: { hide: [~/notes.txt], read: [~/.netrc], write: [~/out] }\n",
      },
    );
    mkdirSync(join(place.home, "out"));
    const run = await place.run();
    expect(printed(run)).toContain("the password");
    expect(printed(run)).toContain("wrote");
    expect(printed(run)).not.toContain("read me");
  });

  test.concurrent("B-07 in place, the person's files can be written, and their git settings and records not", async () => {
    const place = await secretive(() => [
      {
        run: `echo x >> .git/config; echo x > .git/hooks/post-commit; echo x > .ralph/runs/evil; echo x > .ralph/ralph.db; true`,
      },
    ]);
    const run = await place.run("--in-place");
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(existsSync(join(place.folder, ".git/hooks/post-commit"))).toBe(false);
    expect(printed(run).match(/Read-only file system/g)).toHaveLength(4);
  });

  test.concurrent("B-07 processes.keep keeps a server that a session in a sandbox left", async () => {
    const place = await secretive(() => [{ run: "sleep 300 </dev/null >/dev/null 2>&1 & echo $! > pid.txt" }], {
      config: "gates:\n  - { id: test, run: test -f done.txt }\nprocesses: { keep: true }\n",
    });
    await expect(place.run()).rejects.toThrow("expected"); // the helper finds the process that was kept
    expect(process.kill(Number(place.read("pid.txt")), "SIGKILL")).toBe(true);
  });

  test.concurrent("B-07 Ctrl-C asks an agent to end in its own way, and its work is kept", async () => {
    const place = await secretive((home) => [
      { run: `trap "echo asked > asked.txt; exit 0" INT; touch ${home}/.cache/ready; while :; do sleep 0.05; done` },
    ]);
    const under = ["env", `HOME=${place.home}`, "RALPHCTL_SANDBOX_AGENT=bwrap"];
    const live = startUnder(under, place.folder);
    await fileAppears(join(place.home, ".cache/ready"));
    live.signal("SIGINT");
    const { code } = await live.ended;
    expect([code, processesOf(place.folder)]).toEqual([130, []]);
    expect(place.git("show", `refs/ralph/work/${place.ids[0]}:asked.txt`)).toBe("asked");
  });

  test.concurrent("B-07 a run that is killed leaves no process of its sandbox", async () => {
    const seconds = 3000 + Math.floor(Math.random() * 1e6);
    const place = await secretive((home) => [
      { run: `setsid env -i sleep ${seconds} & touch ${home}/.cache/ready; sleep ${seconds}` },
    ]);
    const live = startUnder(["env", `HOME=${place.home}`, "RALPHCTL_SANDBOX_AGENT=bwrap"], place.folder);
    await fileAppears(join(place.home, ".cache/ready"));
    live.signal("SIGKILL");
    await live.ended;
    await vi.waitUntil(() => !isRunning(`sleep ${seconds}`), { timeout: 50_000 });
  });
});

test.skipIf(process.platform !== "linux")(
  "B-07 X-78 a sandbox that cannot be had refuses the run with the remedy",
  async () => {
    const place = await loopWorkspace({ script: "[]" });
    const run = await place.run("--sandbox", "seatbelt");
    expect([run.code, run.events]).toEqual([78, []]);
    expect(run.stderr).toBe(
      "error: sandbox.agent is seatbelt, but there is no sandbox here: seatbelt is part of macOS only\nhint: Use --sandbox bwrap, docker or podman; ralphctl doctor shows what works here\n",
    );
  },
);

test.skipIf(noNamespace !== undefined)(
  "B-07 P-40 a process namespace alone takes a daemon without mark and group with it",
  async () => {
    const seconds = 3000 + Math.floor(Math.random() * 1e6);
    const daemon = `setsid env -i sleep ${seconds} >/dev/null 2>&1 & `;
    const place = await loopWorkspace({
      script: JSON.stringify([[{ run: daemon }, ...claim]]),
      config: `gates:\n  - { id: test, run: "${daemon} test -f done.txt" }\n`,
      env: { RALPHCTL_PROCESSES_NAMESPACE: "auto" },
    });
    const run = await place.run();
    expect([run.code, run.outcomes, isRunning(`sleep ${seconds}`)]).toEqual([0, ["verified"], false]);
    expect(eventsOf(run, "gate.finished").map(({ swept }) => swept)).toEqual([1, 1]);
  },
);

describe("in a container", () => {
  /** An engine that leaves out the container, and notes what else it is asked. */
  function engine(run: string): { readonly PATH: string; readonly folder: string } {
    const folder = temporaryFolder({
      podman: `#!/bin/sh\nif [ "$1" = rm ]; then echo "$2" >> "$(dirname "$0")/asked"; exit; fi\n${run}\n`,
    });
    chmodSync(join(folder, "podman"), 0o755);
    return { folder, PATH: `${folder}:${process.env["PATH"]}` };
  }
  const config = "gates:\n  - { id: test, run: test -f done.txt }\nsandbox: { agent: podman, image: agents }\n";

  test.concurrent("B-07 agents and gates start by the engine, and each container is removed", async () => {
    const { PATH, folder } = engine('while [ "$1" != agents ]; do shift; done\nshift\nexec "$@"');
    const place = await loopWorkspace({ script: JSON.stringify([claim]), config, env: { PATH } });
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    // The gate before the work, the session, the gate after it, and once more without the work.
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe("--force\n".repeat(4));
  });

  test.concurrent("B-07 X-78 an engine that starts no container refuses the run, with its words", async () => {
    const { PATH } = engine("echo 'Error: no cgroups' >&2; exit 126");
    const place = await loopWorkspace({ script: "[]", config, env: { PATH } });
    const run = await place.run();
    expect([run.code, run.events]).toEqual([78, []]);
    expect(run.stderr).toContain("podman starts no container: Error: no cgroups");
  });
});
