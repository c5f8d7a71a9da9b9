import { expect, test } from "vitest";
import { bareText } from "./bare-text.ts";

const isSame = (path: string, before: string, after: string): boolean =>
  bareText(path, before) === bareText(path, after);

test.each([
  ["check.sh", "set -e\ntest -f a\n", "# All checks\n\nset -e\n  test -f a  \n"],
  [
    "check.sh",
    'for t in tests/*.sh; do sh "$t" || exit 1; done\n',
    '# All\n  for t in tests/*.sh; do sh "$t" || exit 1; done\n',
  ],
  ["check.sh", "#!/bin/sh\ntest -f a\n", "#!/bin/sh\n# don't\ntest -f a\n"],
  ["check.py", "def a():\n    return 1\n", "# One\ndef a():\n    # 1\n\n    return 1 \n"],
  ["check.mjs", "if (a) {\nb();\n}\n", "// All\nif (a) {\n  b();\n}\n"],
])("T-10 comments, blank lines and indentation are no change of a program: %s", (path, before, after) => {
  expect(isSame(path, before, after)).toBe(true);
});

test.each([
  ["check.sh", "test -f a\n", "true\n"],
  ["check.sh", "test -f a\n", "# test -f a\n"],
  ["check.sh", "test -f a\n", "#!/bin/true\ntest -f a\n"],
  ["check.sh", "#!/bin/bash\ntest -f a\n", "# first\n#!/bin/bash\ntest -f a\n"],
  ["check.sh", "set -e\ntest -f a\n", "set -e\r\ntest -f a\n"],
  ["check.sh", "test -f a \\\n&& test -f b\n", "test -f a \\\n# x\n&& test -f b\n"],
  ["check.sh", "sh <<E\ntest -f a\nE\n", "sh <<E\n# x\ntest -f a\nE\n"],
  ["check.sh", "sh -c '\ntest -f a\n'\n", "sh -c '\n# x\ntest -f a\n'\n"],
  ["check.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"],
  ["check.mjs", "a(`\nx`)\n", "a(`\n  x`)\n"],
  ["settings.cfg", "# a\n", "# b\n"],
  ["vitest.config.ts", "a();\n", "// @ts-nocheck\na();\n"],
  ["conftest.py", "a()\n", "# mypy: ignore-errors\na()\n"],
])("T-10 anything else is: %s %j", (path, before, after) => {
  expect(isSame(path, before, after)).toBe(false);
});
