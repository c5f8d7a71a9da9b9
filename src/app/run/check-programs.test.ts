import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { openWorkspace } from "../workspace.ts";
import { checkPrograms } from "./check-programs.ts";

const check = async (files: Readonly<Record<string, string>>, programs: readonly string[]): Promise<void> => {
  const path = temporaryFolder(Object.fromEntries(programs.map((name) => [name, ""])));
  for (const name of programs) chmodSync(join(path, name), 0o755);
  const cwd = temporaryRepository({ ".ralph/config.yaml": "", ...files });
  const env = { PATH: path };
  await checkPrograms(await openWorkspace({ cwd, env }), { env });
};

describe("P-16 programs that set-up and gates need", () => {
  test("a run without one is refused, and told how to get it", async () => {
    await expect(check({ "go.mod": "module x" }, [])).rejects.toMatchObject({
      kind: "config",
      message: "Set-up or gates need the program go, which is not on the PATH",
      hint: "Install Go: https://go.dev/doc/install, or choose gates in .ralph/config.yaml; ralphctl gates shows them",
    });
    await expect(check({ "pytest.ini": "[pytest]", "uv.lock": "" }, ["python3"])).rejects.toThrow(/program uv/);
    await expect(check({ "bun.lock": "", Makefile: "check:\n\ttrue\n" }, [])).rejects.toThrow(/PATH: bun, make/);
    await expect(check({ mvnw: "" }, [])).rejects.toThrow(/program java/);
  });

  test("one that is there, one that only the project knows, and one that set-up may install are no reason", async () => {
    await check({ "go.mod": "module x" }, ["go"]);
    await check({ ".ralph/config.yaml": "gates: [{ id: a, run: ./own && unknown-tool }]\n" }, []);
    await check({ "go.mod": "module x", ".ralph/config.yaml": "lanes: { setup: ./install-go }\n" }, []);
  });
});
