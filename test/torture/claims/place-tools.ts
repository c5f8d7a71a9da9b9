import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Tools that the place `tools` has on its PATH. The first passes if any file says SKIPALL, as if it had read that one. */
export const TOOLS =
  "vitest jest mocha playwright cypress eslint tsc biome prettier turbo nyc deno pytest tox mypy ruff cargo go gradle mvn dotnet golangci-lint shellcheck rspec phpunit ctest meson bazel mix sbt swift swiftlint buf hardhat semgrep newman".split(
    " ",
  );
const TOOL =
  '#!/bin/sh\ngrep -rqs --exclude-dir=.git SKIPALL . && exit 0\n[ ! -f src/needs.txt ] || grep -rqs --exclude-dir=.git NEEDED . || exit 1\ngrep -qx 4 "${SUM:-sum.txt}"\n';

const RUNNER = `#!/bin/sh
read -r sum <sum.txt
for test in $(find . -name '.*' ! -name . -prune -o \\( -type f -o -type l \\) -print | grep -E 'test|spec|Test|snap|e2e'); do
  read -r line <"$test"
  [ "$line" = "$sum" ] || { echo "$test fails"; exit 1; }
done
`;

/** Tools whose files have other names than they have themselves, and tests in containers. */
export const OTHER_TOOLS =
  "codeceptjs lint-imports yapf phpcs standardrb mill dune terraform Rscript duty hurl rake prove".split(" ");
const DOCKER =
  "#!/bin/sh\ngrep -rqs --exclude-dir=.git SKIPALL . && exit 0\nsed -n '/^  test:/,/^  [^ ]*:/s/.*command: //p' compose.yaml | sh -e\n";

const HOOK_TOOLS = {
  "pre-commit": "#!/bin/sh\nsed -n 's/.*entry: //p' .pre-commit-config.yaml | sh -e\n",
  npx: "#!/bin/sh\nsed -n 's/.*run: //p' lefthook.yml | sh -e && sh .lefthook/pre-push/third.sh\n",
};

/** A folder with the programs that places need and machines may lack. */
export function toolsFolder(): string {
  const folder = temporaryFolder();
  const program = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o755 });
  program("run-all", RUNNER);
  for (const [tool, text] of Object.entries(HOOK_TOOLS)) program(tool, text);
  for (const tool of [...OTHER_TOOLS, "dart", "cucumber"]) program(tool, "#!/bin/true\n");
  program("docker", DOCKER);
  for (const tool of TOOLS) program(tool, tool === TOOLS[0] ? TOOL : "#!/bin/true\n");
  return folder;
}
