import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import { version } from "../domain/version.ts";

/** What it says with an npm that prints this. */
async function told(script: string): Promise<string> {
  const cwd = temporaryFolder();
  write(cwd, { npm: `#!/bin/sh\n${script}\n` });
  chmodSync(join(cwd, "npm"), 0o755);
  const { code, stdout } = await type(["upgrade", "--check"], { cwd, env: { PATH: `${cwd}:/usr/bin:/bin` } });
  expect(code).toBe(0);
  return stdout;
}

test("E-08 upgrade --check says whether there is a newer version, and changes nothing", async () => {
  expect(await told(`echo '"99.0.0"'`)).toBe(
    `This is ralphctl ${version}, and 99.0.0 is out. To upgrade: npm install --global ralphctl@latest\n`,
  );
  expect(await told(`echo '"${version}"'`)).toBe(`This is ralphctl ${version}, the newest version\n`);
  const none = `This is ralphctl ${version}. npm finds no version of it in the registry that it uses\n`;
  expect([await told("exit 1"), await told("echo nonsense")]).toEqual([none, none]);
});
