import { describe, expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { probeSandbox } from "../../system/sandbox/probe.ts";
import { openWorkspace } from "../workspace.ts";
import type { Finding } from "./finding.ts";
import { sandboxFindings } from "./sandbox.ts";

async function look(config: string, env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const cwd = temporaryRepository({ ".ralph/config.yaml": config });
  return await sandboxFindings((await openWorkspace({ cwd, env: {}, flags: {} })).config, env);
}

describe.skipIf(process.platform !== "linux")("doctor on sandboxes", () => {
  test("B-07 says why there is none, and what to do", async () => {
    const [bwrap, ...rest] = await look("", { PATH: temporaryFolder() });
    expect(bwrap).toEqual({
      level: "warning",
      check: "sandbox",
      message: "The sandbox bwrap does not work here: bubblewrap is not installed",
      fix: "Install the package bubblewrap (apt-get, dnf, pacman or apk)",
    });
    expect(rest).toEqual([
      {
        level: "warning",
        check: "sandbox",
        message: "Sessions have no process namespace without a sandbox: unshare is not on the PATH",
        fix: "Install the package util-linux",
      },
    ]);
  });

  test("B-07 one that the configuration asks for and that does not work is a problem", async () => {
    const [problem] = await look("sandbox: { agent: auto }\n", { PATH: temporaryFolder() });
    expect(problem).toEqual({
      level: "problem",
      check: "sandbox",
      message: "sandbox.agent is auto, but there is no sandbox here: bubblewrap is not installed",
      fix: "Install the package bubblewrap (apt-get, dnf, pacman or apk); ralphctl doctor shows what works here",
    });
  });

  test("B-07 names one that works", async () => {
    const why = await probeSandbox("bwrap", process.env);
    const [first] = await look("", process.env);
    expect(first?.message.startsWith("The sandbox bwrap works here")).toBe(why === undefined);
  });
});
