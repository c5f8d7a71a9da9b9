import { expect, test } from "vitest";
import { DONE, script, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const FILE_TOKEN = "value-of-a-copied-file";
const JWT = `eyJ${"aB3dE5gH".repeat(4)}.eyJ${"aB3dE5gH".repeat(4)}.${"aB3dE5gH".repeat(4)}`;
const KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";

test("B-05 forms, files of lanes and keys of many lines are hidden in events, output and the next prompt", async () => {
  const place = await loopWorkspace({
    files: { ".gitignore": ".env\n", ".worktreeinclude": ".env\n" },
    config: "gates:\n  - { id: test, run: 'cat .env; echo and a token: $(cat token.txt); test -f done.txt' }\n",
    script: script(
      [
        { write: { path: "token.txt", text: JWT } },
        { say: `${FILE_TOKEN} is in .env\n-----BEGIN PRIVATE KEY-----\n` },
        { say: `${KEY_LINE}\n` },
        { say: "-----END PRIVATE KEY-----\nThat was it.\n" },
        DONE,
      ],
      [WORK, DONE],
    ),
  });
  place.write({ ".env": `API_TOKEN=${FILE_TOKEN}\nPORT=3000\n` });
  const run = await place.run();
  const log = place.read(`.ralph/runs/${run.name}/events.ndjson`);
  const shown = {
    stdout: run.stdout,
    stderr: run.stderr,
    log,
    prompt: run.prompt(2),
    logs: (await place.ralphctl("logs", "--verbose")).stdout,
    inspect: (await place.ralphctl("inspect", "--json")).stdout,
    report: (await place.ralphctl("report")).stdout,
  };
  const left = Object.entries(shown).filter(([, text]) =>
    [FILE_TOKEN, JWT, KEY_LINE].some((one) => text.includes(one)),
  );
  expect([run.outcomes, left.map(([name]) => name)]).toEqual([["rejected", "verified"], []]);
  expect(shown.prompt).toContain("and a token: [JWT]");
  const notices = run.events.flatMap((event) => (event.type === "run.notice" ? [event.text] : []));
  expect(notices.filter((text) => text.includes("redact.allow")).sort()).toEqual(
    ["API_TOKEN", "JWT", "private key"].map(
      (name) => `What looks like a secret is shown as [${name}]. If it is none, add "${name}" to redact.allow`,
    ),
  );
});

test("B-05 a name in redact.allow ends a false alarm", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: test -f done.txt }\nredact: { allow: [JWT] }\n",
    script: script([WORK, { say: JWT }, DONE]),
  });
  const run = await place.run();
  expect([run.outcomes, run.stdout.includes(JWT)]).toEqual([["verified"], true]);
});

test("B-05 what a session says is kept without secrets: as the task's summary, in exports and in the commit", async () => {
  const place = await loopWorkspace({
    files: { ".gitignore": ".env\n", ".worktreeinclude": ".env\n" },
    script: script([
      WORK,
      { run: `git add -A && git commit -qm "Use ${FILE_TOKEN}" -m "It is ${FILE_TOKEN}"` },
      { say: `It needs ${FILE_TOKEN}\n` },
      DONE,
    ]),
  });
  place.write({ ".env": `API_TOKEN=${FILE_TOKEN}\n` });
  const run = await place.run();
  expect([run.outcomes, place.git("log", "-1", "--format=%s %b").split("\n")[0]]).toEqual([
    ["verified"],
    "Use [API_TOKEN] It is [API_TOKEN]",
  ]);
  const looks = [
    ["task", "show", place.ids[0]!],
    ["task", "show", place.ids[0]!, "--json"],
    ["task", "export"],
  ];
  for (const words of looks) {
    const { stdout } = await place.ralphctl(...words);
    expect([words, stdout.includes(FILE_TOKEN), stdout.includes("[API_TOKEN]")]).toEqual([words, false, true]);
  }
});
