import { expect, test } from "vitest";
import { switchesIn } from "./switches.ts";

test.each([
  ["[ -f .skip ] && exit 0\nsh tests.sh\n", ".skip"],
  ['[[ -e ".skip" ]] && { exit; }', ".skip"],
  ["if test -f ci/skip; then\n  echo Skipped\n  exit 0\nfi\n", "ci/skip"],
  ["d=tests; [ -d spec ] && d=spec\n", "spec"],
  ["[ -f .local ] || npm test", ".local"],
  ["if [ ! -f fast ]; then make check; exit; fi", "fast"],
  ["[ -f env.sh ] && . ./env.sh", "env.sh"],
])("T-10 a file that turns a script: %s", (text, path) => {
  expect(switchesIn(text)).toEqual([path]);
});

test.each([
  "test -f done.txt",
  "[ -f done.txt ] || exit 1",
  "[ -f done.txt ] || { echo 'no done.txt'; exit 1; }",
  "if [ ! -f done.txt ]; then echo missing; exit 1; fi",
  "test -f done.txt && grep -q x done.txt",
  "# [ -f .skip ] && exit 0",
  'if [ -f "$file" ]; then exit 0; fi',
])("T-10 a file that a script needs, or that only the shell knows: %s", (text) => {
  expect(switchesIn(text)).toEqual([]);
});
