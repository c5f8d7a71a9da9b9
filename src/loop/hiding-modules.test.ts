import { expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { newRepository } from "../../test/git-place.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { treeLook } from "../gate/gate.ts";
import { hidingModules } from "./hiding-modules.ts";
import type { RunDeps } from "./run-deps.ts";

const TEST = "import hypothesis\nimport json\nfrom calc.add import add\nimport yaml\n";
const BASE = { "tests/test_a.py": TEST, "calc/__init__.py": "", "calc/lib/__init__.py": "", "python/yaml.pyx": "" };

test.each<[string, Files, readonly string[]]>([
  ["a module at the top", { "hypothesis.py": "" }, ["hypothesis.py"]],
  [
    "a package among the sources",
    { "src/hypothesis/__init__.py": "", "src/hypothesis/a.py": "" },
    ["src/hypothesis/__init__.py", "src/hypothesis/a.py"],
  ],
  ["a module of a member", { "members/a/lib/json.py": "" }, ["members/a/lib/json.py"]],
  ["a module that no test loads", { "numbers.py": "" }, []],
  ["a part of a package of the repository", { "calc/json.py": "", "calc/lib/json.py": "" }, []],
  ["a module of the repository that moves", { "src/calc/add.py": "" }, []],
  ["a module that was of another kind", { "src/yaml.py": "" }, []],
  ["a helper of new tests", { "tests/json.py": "" }, []],
])("T-11 new modules that old tests find in place of installed ones: %s", async (_, edit, paths) => {
  const home = await newRepository(BASE);
  const base = treeLook(home, "HEAD");
  const candidate = { ...BASE, ...edit };
  const found = await hidingModules(
    { home, rules: { testFiles: DEFAULT_TEST_FILES } as unknown as RunDeps["rules"] },
    {
      changes: changesOf(BASE, candidate),
      head: "HEAD",
      base,
      candidate: filesLook(candidate),
      gates: [{ id: "test" }],
    },
  );
  base.close();
  expect(found.map(({ path, kind }) => `${kind} ${path}`)).toEqual(paths.map((path) => `data ${path}`));
});
