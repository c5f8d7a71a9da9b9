import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Answer, type, type Session } from "../../test/recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";

const FILE = "# Mine\nharness: claude # the best\nlimits:\n  # cost: ~\n";

function place(text = FILE) {
  const cwd = temporaryRepository({ ".ralph/config.yaml": text });
  const home = temporaryFolder();
  const env = { PATH: process.env["PATH"]!, HOME: home };
  const run = async (argv: readonly string[], session: Partial<Session> = {}): Promise<Answer> =>
    await type(argv, { cwd, ...session, env: { ...env, ...session.env } });
  return { cwd, home, run, config: () => readFileSync(join(cwd, ".ralph/config.yaml"), "utf8") };
}

describe("config set, unset and edit", () => {
  test("E-04 set and unset change one value, keep comments, and say what holds", async () => {
    const { run, config } = place();
    expect(await run(["config", "set", "limits.cost", "5"])).toEqual({
      code: 0,
      stdout: "limits.cost is 5 (file .ralph/config.yaml line 4)\n",
      stderr: "",
    });
    expect(config()).toBe("# Mine\nharness: claude # the best\nlimits:\n  cost: 5\n  # cost: ~\n");
    expect((await run(["config", "set", "harness", "codex,claude"])).code).toBe(0);
    expect(config()).toContain('harness: ["codex","claude"] # the best\n');
    expect((await run(["config", "unset", "limits.cost"])).stdout).toBe("limits.cost has no value (default)\n");
    expect((await run(["config", "unset", "limits.cost"])).stdout).toMatch(
      /^limits\.cost is not set in .*config\.yaml\. /,
    );
    const hidden = await run(["config", "set", "limits.attempts", "4"], { env: { RALPHCTL_LIMITS_ATTEMPTS: "9" } });
    expect(hidden.stdout).toBe("limits.attempts is 9 (environment RALPHCTL_LIMITS_ATTEMPTS)\n");
  });

  test("E-04 what would not be valid is refused, and nothing is written", async () => {
    const { run, config } = place();
    const bad = await run(["config", "set", "limits.cost", "much"]);
    expect([bad.code, bad.stderr.split("\n")[0]]).toEqual([
      64,
      'error: limits.cost must be a number greater than 0, not "much"',
    ]);
    const unknown = await run(["config", "set", "limits.cots", "5"]);
    expect(unknown).toMatchObject({
      code: 64,
      stderr: "error: Unknown configuration key `limits.cots`\nhint: Write `limits.cost`\n",
    });
    expect(config()).toBe(FILE);
  });

  test("E-04 --user sets it in the person's own file, which is made", async () => {
    const { run, home, config } = place();
    expect((await run(["config", "set", "notify.ntfy", "$NTFY", "--user"])).code).toBe(0);
    expect(readFileSync(join(home, ".config/ralphctl/config.yaml"), "utf8")).toBe("notify:\n  ntfy: $NTFY\n");
    expect(config()).toBe(FILE);
  });

  test("E-04 edit takes what the editor leaves, once it is valid, and loses nothing", async () => {
    const { run, config } = place();
    const edit = async (editor: string, answer = false): Promise<Answer> =>
      await run(["config", "edit"], { answer, env: { EDITOR: editor } });
    expect((await edit("true")).stdout).toMatch(/is as it was\n$/);
    expect((await edit("sed -i s/claude/codex/")).stdout).toMatch(/is valid, and saved\n$/);
    expect(config()).toBe(FILE.replace("claude", "codex"));
    const bad = await edit("sed -i s/harness/harnes/");
    expect([bad.code, bad.stderr]).toEqual([
      64,
      expect.stringMatching(/error: .*harnes[^]*Nothing was changed; your text is \//),
    ]);
    const draft = /your text is (\S+)/.exec(bad.stderr)![1]!;
    expect(readFileSync(draft, "utf8")).toContain("harnes: codex");
    expect(config()).toBe(FILE.replace("claude", "codex"));
    expect((await edit("false")).code).toBe(69);
    expect(await run(["config", "edit"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("needs a terminal"),
    });
  });
});

describe("task edit and choosing a task", () => {
  test("E-04 task edit without an option opens the editor, and changes what differs", async () => {
    const { run } = place();
    const id = (await run(["task", "add", "Write it", "--acceptance", "It is there"])).stdout.trim();
    const edit = async (editor: string): Promise<Answer> =>
      await run(["task", "edit", id], { answer: false, env: { EDITOR: editor } });
    const changed = await edit(
      "sed -i -e 's/Write it/Write it well/' -e 's/Priority: 2/Priority: 1/' -e 's/- It is there/- It is there\\n- It works/'",
    );
    expect([changed.code, changed.stderr]).toEqual([0, `${id} changed: title, priority, acceptance\n`]);
    const [task] = JSON.parse((await run(["task", "list", "--json"])).stdout) as unknown[];
    expect(task).toMatchObject({ title: "Write it well", priority: 1, acceptance: ["It is there", "It works"] });
    expect((await edit("true")).stderr).toBe(`${id} is as it was\n`);
    expect((await edit("truncate -s 0")).stderr).toBe(`${id} is as it was\n`);
    const bad = await edit("sed -i s/Priority..1/Priority:soon/");
    expect([bad.code, bad.stderr]).toEqual([64, expect.stringContaining('The priority "soon" is not a whole number')]);
    expect(await run(["task", "edit", id])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Nothing to change"),
    });
  });

  test("E-04 a task that was not named is chosen from a list at a terminal, and asked for elsewhere", async () => {
    const { run } = place();
    await run(["task", "add", "One"]);
    const two = (await run(["task", "add", "Two"])).stdout.trim();
    const offered: string[] = [];
    const choice = (options: readonly string[]): string | undefined => {
      offered.push(...options);
      return options.at(-1);
    };
    const shown = await run(["task", "show"], { choice });
    expect([shown.code, shown.stdout.split("\n")[0], offered.length]).toEqual([0, `${two}  Two`, 2]);
    expect(await run(["task", "drop"], { choice })).toMatchObject({ code: 0, stderr: `${two} is dropped\n` });
    expect((await run(["task", "show"], { choice: () => undefined })).code).toBe(64);
    expect(await run(["task", "show"])).toMatchObject({ code: 64, stderr: expect.stringContaining("'id'") });
    expect((await run(["task", "park"], { choice })).code).toBe(64);
  });
});
