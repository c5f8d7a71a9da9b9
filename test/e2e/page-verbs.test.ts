import { describe, expect, test } from "vitest";
import { DONE, scriptFor, sh, type Step } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { accessFaults, hasBrowser, layoutFaults, openTab } from "../page-browser.ts";
import { servedPage } from "../page-client.ts";

const CI = ".github/workflows/ci.yaml";
const FILES = { [CI]: "on: push\n", "sum.test.sh": 'test "$(cat sum.txt)" = 4\n', "sum.txt": "4\n", "a.txt": "a\n" };
const GATES = 'gates: [{ id: test, run: "for each in *.test.sh; do sh $each || exit 1; done" }]\n';
const own: Step = sh("echo x > $RALPHCTL_TASK.txt");

/** Tasks that wait for a person in different ways, after a run. */
async function waiting() {
  const place = await loopWorkspace({
    files: FILES,
    config: `${GATES}limits: { attempts: 1 }\n`,
    tasks: ["Change the CI", "Weaken a test", "Change what you change", "Give up", "Leave"],
    script: scriptFor({
      "Change the CI": [sh(`echo 'on: pull_request' > ${CI}`), own, DONE],
      "Weaken a test": [sh("echo true > sum.test.sh; echo 5 > sum.txt"), DONE],
      "Change what you change": [sh("echo b > a.txt"), DONE],
      "*": [{ say: "No.\n\n<task-failed>{task}</task-failed>" }],
    }),
  });
  place.write({ "a.txt": "mine\n" });
  const run = await place.run();
  return { ...place, name: run.name };
}

describe("U-04 verbs that rest on evidence", () => {
  test("U-04 T-10 T-11 L-24 a change is allowed, work approved and a branch led on, each after a look at why", async () => {
    const { folder, ids, run, states, git, read } = await waiting();
    const [ci, weak] = ids as [string, string];
    const page = await servedPage(folder);
    const needs = (await page.get("/needs")).json as { kind: string; task: string | null; verbs: string[] }[];
    const about = (task: string | null) => needs.find((need) => need.task === task);
    expect(about(ci)).toMatchObject({
      kind: "failed",
      scope: "workspace",
      text: expect.stringContaining(CI),
      evidence: expect.stringMatching(/^diff --git a\/\.github[^]*^-on: push\n\+on: pull_request$/m),
      verbs: ["allow", "retry", "drop", "context"],
    });
    expect(about(weak)).toMatchObject({
      kind: "look",
      text: expect.stringContaining("tests changed: sum.test.sh"),
      evidence: expect.stringMatching(/^diff --git a\/sum\.test\.sh[^]*^\+true$/m),
      verbs: ["approve", "reset"],
    });
    expect(about(null)).toMatchObject({ kind: "conflict", text: expect.stringContaining("a.txt"), verbs: ["land"] });
    for (const task of [ci, weak]) {
      const { verbs, evidence } = (await page.get(`/tasks/${task}`)).json;
      expect({ verbs, evidence }).toEqual({ verbs: about(task)!.verbs, evidence: expect.stringMatching(/^diff/) });
    }

    expect((await page.post("allow", { task: ci })).json.said).toContain(CI);
    expect((await page.post("approve", { task: weak })).json.said).toContain(
      `${weak} is approved by you; it was to look`,
    );
    expect(await page.post("land", {})).toMatchObject({
      status: 409,
      json: { error: expect.stringContaining("a.txt") },
    });
    expect(read("a.txt")).toBe("mine\n");
    git("stash", "--quiet");
    expect((await page.post("land", {})).status).toBe(200);
    expect(read("a.txt")).toBe("b\n");
    await run("--task", ci);
    expect([(await states())["Change the CI"], read(CI)]).toEqual(["done", "on: pull_request\n"]);
    const from = "from the page at 127.0.0.1";
    for (const [task, entry] of [
      [ci, { kind: "from", text: `allow ${from}` }],
      [weak, { kind: "approve", text: from }],
    ] as const) {
      expect((await page.get(`/tasks/${task}`)).json.log).toContainEqual(
        expect.objectContaining({ by: "person", ...entry }),
      );
    }
    // What was decided is not offered again.
    expect(await page.post("allow", { task: ci })).toMatchObject({ status: 422 });
    expect((await page.get(`/tasks/${weak}`)).json).toMatchObject({ verbs: ["reset"], evidence: null });
  });

  test.runIf(hasBrowser)("U-04 U-08 every button about a task does what it says, in a browser", async () => {
    const { folder, ids, task, states, git, read, ralphctl } = await waiting();
    const [ci, weak, , failed, left] = ids as [string, string, string, string, string];
    await task("reset", left);
    const served = await servedPage(folder);
    const { page, failures } = await openTab(served.url, { viewport: { width: 1000, height: 900 } });
    await page
      .getByRole("link", { name: /^Needs you/ })
      .first()
      .click();
    const need = (name: string) => page.getByRole("article", { name: new RegExp(name) });
    const press = async (name: string, button: string) =>
      await need(name).getByRole("button", { name: button }).click();
    const says = async (words: string) => await page.getByRole("status").filter({ hasText: words }).waitFor();
    await need("Change the CI").locator(".lines .added", { hasText: "on: pull_request" }).waitFor();
    expect([await layoutFaults(page), await accessFaults(page)]).toEqual([[], []]);

    await press("Change the CI", "Allow the change");
    await says(CI);
    await press("Weaken a test", "Approve");
    await says(`${weak} is approved by you`);
    await press("main does not follow", "Let the branch follow");
    await page.getByRole("alert").filter({ hasText: "You changed a.txt" }).waitFor();
    git("stash", "--quiet");
    await press("main does not follow", "Let the branch follow");
    await expect.poll(() => read("a.txt"), { timeout: 50_000 }).toBe("b\n");

    await press("Give up", "Add context…");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your words").fill("Use what is there");
    await dialog.getByRole("button", { name: "Add it" }).click();
    await says("will see it");
    expect((await ralphctl("context")).stdout).toContain("Use what is there");
    await press("Give up", "Try again");
    await says(`${failed} is pending again`);
    await page.getByText("Nothing needs you.").waitFor();

    await page.goto(`http://127.0.0.1:${served.port}/#/task/${left}`);
    await page.getByRole("button", { name: "Park…" }).click();
    await dialog.getByLabel("The question").fill("Is it needed?");
    await dialog.getByRole("button", { name: "Park" }).click();
    await page.getByText("Is it needed?").waitFor();
    await page.getByRole("button", { name: "Drop…" }).click();
    await dialog.getByRole("button", { name: "Drop" }).click();
    await page.getByRole("button", { name: "Reset…" }).waitFor();
    expect(await states()).toMatchObject({ "Change the CI": "pending", "Give up": "pending", Leave: "dropped" });
    await page.getByRole("button", { name: "Reset…" }).click();
    await dialog.getByRole("button", { name: "Reset" }).click();
    await says(`${left} is pending again`);

    // A comment on a line of what was changed, for the next attempt.
    await page.goto(`http://127.0.0.1:${served.port}/#/task/${ci}`);
    await page.locator(".attempt .lines .added", { hasText: "on: pull_request" }).locator("b").nth(1).click();
    await page.getByLabel("What the next attempt should know").fill("Only for main");
    await page.getByRole("button", { name: "Send" }).click();
    await says(`The next attempt at ${ci} will see it`);
    expect((await ralphctl("prompt", "-q")).stdout).toContain(`Comment on ${CI}:1: Only for main`);
    expect(failures.filter((text) => !text.includes("409"))).toEqual([]);
  });

  test.runIf(hasBrowser)("U-04 a refusal shows what has become of the thing meanwhile", async () => {
    const place = await loopWorkspace({ tasks: ["Ask"], script: scriptFor({ "*": [DONE] }) });
    await place.task("park", place.ids[0]!, "Red?");
    const served = await servedPage(place.folder);
    const { page } = await openTab("about:blank");
    // No news comes, as on a network that lost the connection and does not know it yet.
    await page.route("**/api/v1/events**", () => undefined);
    await page.goto(`${served.url}/needs`);
    await page.getByLabel("Your answer").fill("Red");
    await place.task("drop", place.ids[0]!);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByText("Nothing needs you.").waitFor();
  });
});
