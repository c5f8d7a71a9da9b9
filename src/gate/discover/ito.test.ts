import { describe, expect, test } from "vitest";
import { filesLook } from "../../../test/files-look.ts";
import { keptGates } from "../../domain/gate.ts";
import { discoverIn } from "../gate.ts";
import { lostGates } from "../lost-gates.ts";

const found = async (files: Readonly<Record<string, string>>) => await discoverIn(filesLook(files));
const shown = async (files: Readonly<Record<string, string>>) =>
  keptGates((await found(files)).gates).map(({ id, run, at }) => [id, run, at]);
const config = (data: unknown) => ({ ".ito/config.json": JSON.stringify(data) });

describe("P-16 the validation commands of ito", () => {
  test.each([
    [
      { ralph: { validationCommands: ["./ok.sh", " ./more.sh "] } },
      "ralph.validationCommands",
      ["./ok.sh", "./more.sh"],
    ],
    [{ ralph: { validationCommand: "./ok.sh" } }, "ralph.validationCommand", ["./ok.sh"]],
    [{ ralph: { validation: { commands: ["./ok.sh"] } } }, "ralph.validation.commands", ["./ok.sh"]],
    [{ validationCommands: ["./ok.sh"] }, "validationCommands", ["./ok.sh"]],
    [{ project: { validation: { command: "./ok.sh" } } }, "project.validation.command", ["./ok.sh"]],
    [{ ralph: { validationCommands: [] }, validationCommands: ["./ok.sh"] }, "validationCommands", ["./ok.sh"]],
  ])("%j are gates, and who wrote them is said", async (data, key, commands) => {
    expect(await shown(config(data))).toEqual(
      commands.map((run) => [expect.stringMatching(/^ito-/), run, `.ito/config.json (${key})`]),
    );
  });

  test("the first file that names some counts; spool's is the last", async () => {
    const own = (run: string) => JSON.stringify({ ralph: { validationCommands: [run] } });
    const files = { "ito.json": "{}", ".ito/config.json": own("./ito.sh"), ".spool/config.json": own("./spool.sh") };
    expect((await shown(files)).map(([, run]) => run)).toEqual(["./ito.sh"]);
    expect((await shown({ ".spool/config.json": own("./spool.sh") })).map(([, run]) => run)).toEqual(["./spool.sh"]);
  });

  test("they run beside what the project itself says, and the same command runs once", async () => {
    const files = {
      ...config({ ralph: { validationCommands: ["make check", "./extra.sh"] } }),
      Makefile: "check:\n\ttest -f a\n",
    };
    expect((await shown(files)).map(([, run]) => run)).toHaveLength(2);
  });

  test.each([
    "{",
    "[]",
    "null",
    "3",
    '{"ralph": null}',
    '{"ralph": {"validationCommands": [1, null, ""]}}',
    "[".repeat(100_000),
  ])("a damaged file is no gate and no crash: %.40j", async (text) => {
    expect((await found({ ".ito/config.json": text })).gates).toEqual([]);
  });

  test("a file that does not parse is said", async () => {
    expect((await found({ ".ito/config.json": "{" })).warnings).toEqual([
      "`.ito/config.json` is not a JSON object, so its validation commands are not gates",
    ]);
  });

  test("T-10 a session that takes one out is a loss of that gate", async () => {
    const base = filesLook(config({ ralph: { validationCommands: ["./ok.sh"] } }));
    const candidate = filesLook(config({ ralph: { validationCommands: ["true"] } }));
    const changes = [{ path: ".ito/config.json", kind: "modified" }] as never;
    expect(await lostGates({ base, candidate, changes })).toMatchObject([
      { path: ".ito/config.json", kind: "definition", why: expect.stringContaining("would be gone") },
    ]);
  });
});
