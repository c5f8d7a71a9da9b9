import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claim, noBwrap, printed, refused, secretive } from "../sandboxed-run.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";

/** A program that says a word to everybody who reaches its socket. */
async function talkative(path: string): Promise<string> {
  const server = createServer((client) => client.end("reached"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

const CALL = `const [, ...paths] = process.argv;
for (const path of paths) require("node:net").connect(path).on("data", (text) => console.log(path, String(text))).on("error", (error) => console.log(path, error.code));`;

describe.skipIf(noBwrap !== undefined)(`ways out of bubblewrap${noBwrap === undefined ? "" : ` (${noBwrap})`}`, () => {
  test("B-07 B-09 a link that an agent leaves in a cache opens no folder for the next program", async () => {
    const place = await secretive(
      () => [],
      (home) => ({
        tasks: ["One", "Two"],
        script: JSON.stringify([
          [
            { run: `ln -s ${home}/.ssh ${home}/.cache/uv; ln -s ${home} ${home}/.cache/pip; ls ${home}/.cache` },
            ...claim,
          ],
          [
            { run: `cat ${home}/.ssh/id_ed25519; touch ${home}/.ssh/evil ${home}/evil; echo tried > done.txt` },
            ...claim.slice(1),
          ],
        ]),
      }),
    );
    const run = await place.run();
    expect(printed(run)).toMatch(/pip\s+uv/);
    expect(place.read("done.txt")).toBe("tried\n");
    expect(printed(run)).not.toContain("the key");
    expect([".ssh/evil", "evil"].map((name) => existsSync(join(place.home, name)))).toEqual([false, false]);
  });

  test("B-07 a cache that a person keeps elsewhere by a link of their own can be written", async () => {
    const elsewhere = temporaryFolder();
    const place = await secretive((home) => [{ run: `echo x > ${home}/.npm/x && echo wrote` }]);
    symlinkSync(elsewhere, join(place.home, ".npm"));
    expect(printed(await place.run())).toContain("wrote");
    expect(existsSync(join(elsewhere, "x"))).toBe(true);
  });

  test("B-07 in place, no hook can be planted where there is none yet, and no record moved away", async () => {
    const place = await secretive(() => [
      {
        run: `echo x > .git/hooks/post-checkout && echo planted; mv .ralph gone && echo moved; mv .git gone && echo moved; mv .ralph/runs gone && echo moved; true`,
      },
    ]);
    rmSync(join(place.folder, ".git/hooks"), { recursive: true, force: true });
    const run = await place.run("--in-place");
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(printed(run)).not.toMatch(/planted|moved/);
  });

  test("B-07 no socket of another program is reached that a variable names, or that lies in the home folder", async () => {
    const folder = temporaryFolder();
    const named = await talkative(join(folder, "editor"));
    const place = await secretive((home) => [{ run: `node ${home}/call.cjs ${named} ${home}/.tool/socket` }], {
      env: { EDITOR_SOCKET: `unix:${named}` },
    });
    write(place.home, { "call.cjs": CALL, ".tool/note": "" });
    const own = await talkative(join(place.home, ".tool/socket"));
    const run = await place.run();
    expect([named, own].map((path) => printed(run).includes(`${path} E`))).toEqual([true, true]);
    expect(printed(run)).not.toContain("reached");
  });

  test("B-07 what the configuration shows in a hidden folder can be read there, and nothing else", async () => {
    const place = await secretive(
      (home) => [{ run: `cat ${home}/.ssh/known_hosts; cat ${home}/.ssh/id_ed25519; touch ${home}/.ssh/x` }],
      {
        config: "gates:\n  - { id: test, run: test -f done.txt }\nsandbox: { read: [~/.ssh/known_hosts] }\n",
      },
    );
    write(place.home, { ".ssh/known_hosts": "a host\n" });
    const run = await place.run();
    expect([run.code, refused(run)]).toEqual([0, expect.arrayContaining([`read ${place.home}/.ssh/id_ed25519`])]);
    expect(printed(run)).toContain("a host");
    expect(printed(run)).not.toContain("the key");
  });

  test("B-07 programs on the PATH cannot be changed, though they lie in a cache", async () => {
    const steps = (home: string) => [
      {
        run: `for path in .cache/tool/bin/x .cache/tool/y; do echo x > ${home}/$path && echo "wrote $path"; done; mv ${home}/.cache/tool ${home}/.cache/t && echo moved; true`,
      },
    ];
    const place = await secretive(steps, (home) => ({
      env: { PATH: `${home}/.cache/tool/bin:${process.env["PATH"]}` },
    }));
    mkdirSync(join(place.home, ".cache/tool/bin"), { recursive: true });
    expect(printed(await place.run()).match(/wrote .*|moved/g)).toEqual(["wrote .cache/tool/y"]);
  });
});
