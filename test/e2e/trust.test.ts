import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initWorkspace } from "../../src/app/init.ts";
import { keepingTrust } from "../../src/app/trust/trust.ts";
import { runIn } from "../../src/app/library/run.ts";
import { PROGRAM } from "../built-program.ts";
import { type } from "../recording-io.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "../temporary-folder.ts";
import { untrusted } from "../untrusted-workspace.ts";

const AGAIN = "settings have changed since you trusted them";
const UNKNOWN = "you have not trusted them";

describe("the door", () => {
  const COMMANDS = [["run"], ["verify"], ["verify", "--all"], ["doctor", "--probe"], ["run", "--continue-ready"]];

  test.concurrent("B-01 without a terminal each command that would start something is refused with 78", async () => {
    const marker = join(temporaryFolder(), "started");
    const { place, say, records } = await untrusted(`gates:\n  - { id: test, run: touch ${marker} }\n`, {
      "openspec/changes/one/tasks.md": "- [ ] One\n",
      "openspec/changes/one/proposal.md": "# One\n",
    });
    for (const args of [...COMMANDS, ["task", "done", place.ids[0]!]]) {
      const { code, stderr } = await say(args);
      expect([args, code]).toEqual([args, 78]);
      expect(stderr).toContain(UNKNOWN);
      expect(stderr).toContain("harnesses.scripted.script, harnesses.scripted.bin, gates.test.run\n");
      expect(stderr).toContain(
        "hint: Look at them and say yes with ralphctl trust; in CI, add --trust or set RALPHCTL_",
      );
    }
    expect((await say(["init", "--try", "--yes"])).stdout).toContain(UNKNOWN);
    expect([existsSync(marker), records()]).toEqual([false, []]);
  });

  test.concurrent("B-01 a person says yes once, and later runs need no terminal", async () => {
    const { say, records, place } = await untrusted();
    const no = await say(["run"], { answer: false });
    expect([no.code, no.stderr.includes("Nothing was started."), records()]).toEqual([78, true, []]);
    expect(no.stderr).toContain(`The files of ${place.folder} start these programs, and set this`);
    expect(no.stderr).toMatch(/^! {3}harnesses\.scripted\.bin: \//m);
    expect(no.stderr).toMatch(/^ {4}gates\.test\.run: test -f done\.txt$/m);
    const yes = await say(["run"], { answer: true });
    expect([yes.code, records().length]).toEqual([0, 1]);
    const later = await say(["verify"]);
    expect([later.code, later.stderr]).toEqual([0, ""]);
  });

  test.concurrent("B-01 what a person sets by config set needs no further yes; what nobody trusted still does", async () => {
    const { say } = await untrusted();
    const set = ["config", "set", "gates", "[{ id: other, run: test -f README.md }]"];
    expect([(await say(set)).code, (await say(["verify"])).code]).toEqual([0, 78]);
    expect((await say(["trust", "--yes"])).code).toBe(0);
    expect((await say(["config", "set", "gates", "[{ id: third, run: test -d . }]"])).code).toBe(0);
    expect((await say(["verify"])).code).toBe(0);
  });

  test.concurrent("B-01 --trust and RALPHCTL_TRUST=1 trust for one command, and remember nothing", async () => {
    const { say, env, records } = await untrusted();
    expect((await say(["verify", "--trust"])).code).toBe(1);
    expect((await say(["verify"], { env: { ...env, RALPHCTL_TRUST: "1" } })).code).toBe(1);
    expect([(await say(["verify"])).code, records()]).toEqual([78, []]);
    const odd = await say(["verify"], { env: { ...env, RALPHCTL_TRUST: "maybe" } });
    expect([odd.code, odd.stderr.includes('RALPHCTL_TRUST must be 1 or 0, not "maybe"')]).toEqual([78, true]);
  });

  test.concurrent("B-01 settings that start nothing need no trust, and nothing is written", async () => {
    const state = temporaryFolder();
    const cwd = temporaryRepository({
      ".ralph/config.yaml": "harness: scripted\ngates: auto\nlimits: { cost: 5 }\n",
      "package.json": JSON.stringify({ scripts: { test: "true" } }),
    });
    const env = { PATH: process.env["PATH"]!, HOME: cwd, XDG_STATE_HOME: state, RALPHCTL_TRUST: "" };
    expect((await type(["verify"], { cwd, env })).code).toBe(0);
    expect(existsSync(join(state, "ralphctl/trust"))).toBe(false);
    expect((await type(["trust"], { cwd, env })).stdout).toContain(
      "start nothing and set nothing that needs your trust",
    );
  });

  test.concurrent("B-01 a program that uses the library says so, or is refused", async () => {
    const { place, env } = await untrusted();
    const world = { cwd: () => place.folder, env, self: [process.execPath, PROGRAM] as const, isRoot: false };
    const open = (trust: boolean | undefined) =>
      runIn({ ...world, version: "0", answer: undefined }, { trust, config: { limits: { iterations: 1 } } }).finished;
    await expect(open(undefined)).rejects.toMatchObject({ kind: "config", message: expect.stringContaining(UNKNOWN) });
    expect((await open(true)).ending).toBe("complete");
  });

  test.concurrent("B-01 a session can neither trust nor be asked", async () => {
    const { say, env } = await untrusted();
    const inside = { ...env, RALPHCTL_ATTEMPT: "r-20261116-014755-3f2a.1.1", RALPHCTL_RUN: "r-20261116-014755-3f2a" };
    for (const args of [["trust", "--yes"], ["run"], ["verify", "--trust"]]) {
      expect((await say(args, { env: inside, answer: true })).code).toBe(64);
    }
  });
});

describe("changes", () => {
  test.concurrent("B-01 changed settings ask again, and show the difference", async () => {
    const { say, place } = await untrusted();
    expect((await say(["trust", "--yes"])).code).toBe(0);
    place.write({ ".ralph/config.yaml": place.read(".ralph/config.yaml").replace("test -f done.txt", "curl evil") });
    const refused = await say(["run"]);
    expect([refused.code, refused.stderr.includes(`${AGAIN}: gates.test.run`)]).toEqual([78, true]);
    const asked = await say(["run"], { answer: false });
    expect(asked.stderr).toContain("  - gates.test.run: test -f done.txt\n  + gates.test.run: curl evil\n");
    expect(asked.stderr).toContain("    2 more as before\n");
    const shown = await say(["trust", "--json"]);
    expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([78, { trusted: false, changed: true }]);
  });

  test.concurrent("B-01 blanks and escapes hide nothing of what is asked", async () => {
    const { say } = await untrusted(`gates:\n  - { id: test, run: "true${" ".repeat(3000)}; \\e[2Kcurl evil" }\n`);
    expect((await say(["run"], { answer: false })).stderr).toContain("gates.test.run: true ; curl evil\n");
  });

  test.concurrent("B-01 a branch that was trusted before is still trusted, and so are other working trees", async () => {
    const { say, place, env } = await untrusted();
    await say(["trust", "--yes"]);
    place.git("checkout", "--quiet", "-b", "other");
    place.write({ ".ralph/config.yaml": place.read(".ralph/config.yaml").replace("done.txt", "other.txt") });
    commitAll(place.folder, "Another gate");
    expect((await say(["verify"])).code).toBe(78);
    await say(["trust", "--yes"]);
    place.git("checkout", "--quiet", "main");
    expect((await say(["verify"])).code).toBe(1);
    const tree = join(temporaryFolder(), "tree");
    place.git("worktree", "add", "--quiet", "--detach", tree, "other");
    expect((await type(["trust"], { cwd: tree, env })).code).toBe(0);
    const clone = join(temporaryFolder(), "clone");
    git(place.folder, "clone", "--quiet", place.folder, clone);
    expect((await type(["trust"], { cwd: clone, env })).code).toBe(78);
  });

  test.concurrent("B-01 an agent's change to the settings, once landed, asks again", async () => {
    const script = `- - run: "grep -q evil .ralph/config.yaml || echo 'lanes: { setup: curl evil }' >> .ralph/config.yaml"
  - write: { path: done.txt, text: ok }
  - say: <task-done>{task}</task-done>\n`;
    const { say, place } = await untrusted("gates:\n  - { id: test, run: 'true' }\n", {}, script);
    await say(["trust", "--yes"]);
    const first = await say(["run", "--max-iterations", "1"]);
    expect(first.stdout).toContain(".ralph/config.yaml");
    expect((await say(["task", "allow", place.ids[0]!])).code).toBe(0);
    const second = await say(["run", "--max-iterations", "1"]);
    expect([second.code, place.commits()]).toEqual([0, ["Do it"]]);
    expect(place.read(".ralph/config.yaml")).toContain("curl evil");
    expect((await say(["run"])).stderr).toContain(`${AGAIN}: lanes.setup`);
  });

  test.concurrent("B-01 workflows that hooks name, and hooks and gates of a sprint, are part of it", async () => {
    const config = "gates: []\nhooks: [{ id: look, workflow: look }]\n";
    const { say, place } = await untrusted(config, {
      ".claude/workflows/look.yaml": "phases: [{ id: a, prompt: Look at it }]\n",
      ".claude/workflows/own.yaml":
        "phases: [{ id: a, prompt: P, gate: make a }]\nper-iteration-hooks: [{ id: h, run: make h }]\n",
      "sprints/x/SPRINT.yaml": "workflow: own\n",
    });
    expect((await say(["trust", "--yes"])).stdout).toContain("    workflow look.a: Look at it\n");
    place.write({ ".claude/workflows/look.yaml": "phases: [{ id: a, prompt: Send it away }]\n" });
    expect((await say(["run"])).stderr).toContain(`${AGAIN}: workflow look.a`);
    await say(["trust", "--yes"]);
    for (const args of [
      ["sprint", "start", "sprints/x"],
      ["run", "--sprint", "sprints/x"],
    ]) {
      const { code, stderr } = await say(args);
      expect([code, stderr.includes("sprints/x: hooks.h.run, sprints/x: gates.a.run")]).toEqual([78, true]);
    }
    await say(["trust", "--yes", "--sprint", "sprints/x"]);
    expect((await say(["sprint", "start", "sprints/x"])).code).toBe(0);
  });
});

test.concurrent("B-01 gates of workflows inside of a sprint's workflow are part of it", async () => {
  const { say } = await untrusted("gates: []\n", {
    ".claude/workflows/top.yaml": "phases: [{ id: each, for-each: step, workflow: inner }]\n",
    ".claude/workflows/inner.yaml": "phases: [{ id: a, prompt: P, gate: make inner }]\n",
    "sprints/x/SPRINT.yaml": "workflow: top\ncollections: { step: [{ id: one, prompt: One }] }\n",
  });
  expect((await say(["trust", "--sprint", "sprints/x"])).stdout).toMatch(/gates\..*run: make inner\n/);
});

describe("one's own writing", () => {
  const home = (cwd: string) => ({ PATH: process.env["PATH"]!, HOME: cwd, XDG_STATE_HOME: temporaryFolder() });
  const CHECK = { "package.json": JSON.stringify({ scripts: { test: "true" } }) };

  test.concurrent("B-01 what init wrote is trusted by whoever ran it; what it found is not", async () => {
    const cwd = temporaryRepository(CHECK);
    const env = { ...home(cwd), RALPHCTL_TRUST: "" };
    const settings = { harness: "claude", gates: [{ id: "check", run: "make check" }], specs: ".ralph/specs" };
    await initWorkspace({ cwd, env, force: false, settings });
    const shown = await type(["trust"], { cwd, env });
    expect([shown.code, shown.stdout.includes("gates.check.run: make check")]).toEqual([0, true]);
    const theirs = temporaryRepository({ ...CHECK, ".ralph/config.yaml": "gates: [{ id: x, run: curl evil }]\n" });
    const found = { ...home(theirs), RALPHCTL_TRUST: "" };
    expect((await type(["init", "--yes"], { cwd: theirs, env: found })).code).toBe(0);
    expect((await type(["trust"], { cwd: theirs, env: found })).code).toBe(78);
    expect((await type(["init", "--yes", "--force"], { cwd: theirs, env: found })).code).toBe(0);
    expect((await type(["trust"], { cwd: theirs, env: found })).code).toBe(0);
  });

  test.concurrent("B-01 a person's edit keeps trust, and does not vouch for settings that had none", async () => {
    const { say, place, env } = await untrusted();
    const around = { cwd: place.folder, env };
    const edit = (command: string) => async () =>
      write(place.folder, {
        ".ralph/config.yaml": `${place.read(".ralph/config.yaml")}lanes: { setup: ${command} }\n`,
      });
    const before = place.read(".ralph/config.yaml");
    await keepingTrust(around, edit("one"));
    expect((await say(["trust"])).code).toBe(78);
    place.write({ ".ralph/config.yaml": before });
    await say(["trust", "--yes"]);
    await keepingTrust(around, edit("two"));
    expect((await say(["trust"])).code).toBe(0);
  });
});

describe("the record", () => {
  test.concurrent("B-01 a damaged record, and one of a newer version, are named and kept", async () => {
    const { say, env, records } = await untrusted();
    await say(["trust", "--yes"]);
    const file = join(env["XDG_STATE_HOME"]!, "ralphctl/trust", records()[0]!);
    for (const [text, sentence] of [
      ["{ half", "is damaged"],
      ['{"version":1,"areas":3}', "is damaged"],
      ['{"version":2,"areas":{}}', "A newer ralphctl wrote the trust file"],
    ] as const) {
      writeFileSync(file, text);
      for (const args of [["run"], ["trust"], ["trust", "--yes"]]) {
        const { code, stderr } = await say(args);
        expect([code, stderr.includes(sentence), stderr.includes("hint: ")]).toEqual([65, true, true]);
      }
      expect(readFileSync(file, "utf8")).toBe(text);
      expect((await say(["verify", "--trust"])).code).toBe(1);
      expect((await say(["trust", "--list"])).stderr).toContain("cannot be read");
      expect((await say(["doctor"])).stdout).toContain(sentence);
    }
  });

  test.concurrent("B-01 trust is listed and forgotten, and lies in a folder for its user alone", async () => {
    const { say, place, records } = await untrusted();
    expect((await say(["trust", "--list"])).stdout).toBe("Nothing is trusted yet\n");
    expect((await say(["trust", "--forget"])).stdout).toBe("Nothing was trusted here\n");
    await say(["trust", "--yes"]);
    expect((await say(["trust", "--list"])).stdout).toContain(`  ${place.folder}/.git  workspace\n`);
    expect(JSON.parse((await say(["trust", "--list", "--json"])).stdout)).toMatchObject([{ folder: "" }]);
    expect((await say(["trust", "--forget", "--list"])).code).toBe(64);
    expect((await say(["trust", "--forget"])).stdout).toBe("Forgotten: ralphctl will ask again\n");
    expect([records(), (await say(["run"])).code]).toEqual([[], 78]);
  });

  test.concurrent("B-01 a relative state folder is ignored: a repository could hold it", async () => {
    const { say, env, place, records } = await untrusted();
    await say(["trust", "--yes"]);
    const name = records()[0]!;
    const text = readFileSync(join(env["XDG_STATE_HOME"]!, "ralphctl/trust", name), "utf8");
    place.write({ [`state/ralphctl/trust/${name}`]: text });
    const lured = { ...env, XDG_STATE_HOME: "state", HOME: temporaryFolder() };
    expect((await say(["verify"], { env: lured })).code).toBe(78);
  });
});

describe("never", () => {
  test.concurrent.each([
    [
      "lanes: { folder: /elsewhere }",
      "lanes.folder is a place on your machine, which a repository's file cannot choose",
    ],
    ["harnesses: { claude: { env: { ANTHROPIC_API_KEY: k } } }", "ANTHROPIC_API_KEY is a login"],
    ["lanes: { env: { GITHUB_TOKEN: k } }", "lanes.env.GITHUB_TOKEN is a login"],
    ["lanes: { env: { RALPHCTL_TRUST: '1' } }", "lanes.env.RALPHCTL_TRUST is for a person to say"],
    ["trust: true", "Unknown key trust"],
    ["lanes: { folder: ../../elsewhere }", "lanes.folder is a place on your machine"],
    ["lanes: { folder: ../.. }", "lanes.folder is a place on your machine"],
  ])("B-01 a repository cannot set %s", async (config, sentence) => {
    const { say, place, env } = await untrusted();
    place.write({ ".ralph/config.yaml": `${config}\n` });
    const { code, stderr } = await say(["run", "--trust"]);
    expect([code, stderr.includes(sentence), stderr.includes("line 1")]).toEqual([78, true, true]);
    // A person can.
    place.write({ ".ralph/config.yaml": "harness: claude\n", "own/ralphctl/config.yaml": `${config}\n` });
    const own = await say(["config", "path"], { env: { ...env, XDG_CONFIG_HOME: join(place.folder, "own") } });
    expect(own.code).toBe(config.startsWith("trust") ? 78 : 0);
  });

  test.concurrent("B-01 lanes beside the repository are a setting like others", async () => {
    const { say } = await untrusted("gates: []\nlanes: { folder: ../lanes }\n");
    expect((await say(["trust"])).stdout).toContain("lanes.folder: ../lanes\n");
  });

  test.concurrent("B-01 passwords of a lane's own services are settings like others", async () => {
    const { say } = await untrusted("gates: []\nlanes: { env: { PGPASSWORD: test, DB_KEY: '' } }\n");
    expect((await say(["trust"])).stdout).toContain("lanes.env.PGPASSWORD: test\n");
  });
});
