import { expect, test } from "vitest";
import { DONE, script, sh, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { servedPage } from "../page-client.ts";

/** In no form that is known, and the run knew nothing of it. */
const SECRET = "correct horse/battery+staple";

test("U-06 what is a secret by now is in nothing that the page is told: events, transcript, prompt, gate, diff, report, task", async () => {
  const place = await loopWorkspace({
    files: { ".gitignore": ".env\n" },
    tasks: [`Use ${SECRET}`, "Other"],
    config: `gates: [{ id: test, run: "echo 'gate ${SECRET}'; test -f done.txt" }]\n`,
    script: script([
      WORK,
      sh(`echo '${SECRET}' > note.txt; echo 'tool ${SECRET}'`),
      { say: `I know ${SECRET}` },
      sh(`ralphctl task park $RALPHCTL_TASK 'Is it ${SECRET}?'`),
      DONE,
    ]),
  });
  const { folder, ids, run } = place;
  const { name } = await run("--max-iterations", "1");
  place.write({ ".worktreeinclude": ".env\n", ".env": `PASSWORD="${SECRET}"\n` });
  const page = await servedPage(folder);
  const at = `/runs/${name}/1`;
  const stream = page.events();
  await stream.until(({ event }) => event === "snapshot");
  const again = page.events({ last: `${name}:0` });
  await again.until(({ data }) => data?.type === "run.finished");
  const answers = new Map<string, string>([
    ["events", JSON.stringify(stream.seen)],
    ["events again", JSON.stringify(again.seen)],
  ]);
  for (const path of [
    "/status",
    "/graph",
    "/needs",
    "/runs",
    `/tasks/${ids[0]}`,
    `/runs/${name}`,
    `/runs/${name}/report`,
    at,
    ...["prompt", "diff", "transcript", "gate/0"].map((text) => `${at}/${text}`),
  ]) {
    const { status, text } = await page.get(path);
    expect([path, status]).toEqual([path, 200]);
    answers.set(path, text);
  }
  // It was there: what is not shown was hidden.
  for (const path of ["events again", "/graph", `/tasks/${ids[0]}`, `${at}/diff`, `${at}/transcript`, `${at}/gate/0`]) {
    expect([path, answers.get(path)]).toEqual([path, expect.stringMatching(/\*\*\*|hidden|PASSWORD/)]);
  }
  const forms = [SECRET, encodeURIComponent(SECRET), "correct horse", "battery+staple"];
  const told = [...answers].filter(([, text]) => forms.some((form) => text.includes(form))).map(([path]) => path);
  expect(told).toEqual([]);
});
