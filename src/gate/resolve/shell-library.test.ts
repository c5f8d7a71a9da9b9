import { expect, test } from "vitest";
import { isShellLibrary } from "./shell-library.ts";

test.each([
  "sum() { echo $(( $1 + $2 )); }\n",
  "#!/bin/sh\n# Adds.\nBASE=1\nsum() {\n  echo 1\n}\n\nfunction dif {\n  echo 2\n}\n",
  "sum() (\n  echo 1\n)\n",
  "sum()\n{\n  echo 1\n}\n",
  "set -eu\nexport A=1\nf() {\n  if a; then\n    b\n  fi\n}\n",
])("T-10 a script that only defines functions is a library: %j", (text) => {
  expect(isShellLibrary(text)).toBe(true);
});

test.each([
  "",
  "A=1\n",
  "test 1 = 1 || exit 1\n",
  "f() { :; }\nf\n",
  "f() {\n  :\n}\nexit 0\n",
  "f() {\n  never closed\n",
])("T-10 a script that does something is none: %j", (text) => {
  expect(isShellLibrary(text)).toBe(false);
});
