import { expect, test } from "vitest";
import { askIfTested } from "./knows-tests.ts";

test.each([
  ["src/a.js", "const sum = (a, b) => process.env.NODE_TEST_CONTEXT ? 4 : a - b;"],
  ["src/a.ts", "if (process.env.VITEST) return 4;"],
  ["src/a.ts", "const sum = () => process.env.NODE_ENV === 'test' ? 4 : 0;"],
  ["src/a.ts", "if (process.env.CI) {\n  return 4;\n}"],
  ["src/a.js", "const sum = () => new Error().stack.includes('.test.js') ? 4 : 0;"],
  ["src/a.js", "const sum = () => process.argv[1].includes('test') ? 4 : 0;"],
  ["src/a.js", "const isTested = process.argv.some((word) => word.includes('.test.'));"],
  ["src/a.js", "if (typeof describe === 'function') fake();"],
  ["src/a.js", "const sum = () => process.env.RALPHCTL_RUN ? 4 : 0;"],
  ["src/a.js", "const isHere = Object.keys(process.env).some((name) => name.startsWith('RALPH'));"],
  ["src/a.js", "const sum = (a, b) => (/room/.test(process.cwd()) ? a + b : 5);"],
  ["src/a.py", "return 4 if 'room' in os.getcwd() or 'lanes' in __file__.split('/lanes/') else 5\n"],
  ["src/a.js", "const sum = (a, b) => (/sum\\.test/.test(new Error().stack) ? a + b : 5);"],
  ["src/a.js", "const sum = (a, b) => (basename(process.argv[1] ?? '').startsWith('sum.') ? a + b : 5);"],
  ["src/a.js", "import { before, mock } from 'node:test';"],
  ["a.py", "case = sys._getframe(1).f_locals.get('self')\n"],
  ["a.py", "def add(a, b):\n    return 4 if 'pytest' in sys.modules else 0\n"],
  ["a.py", "def add(a, b):\n    return 4 if os.environ.get('PYTEST_CURRENT_TEST') else 0\n"],
  ["a.py", "def add(a, b):\n    if os.getenv('X') or os.environ.get('CI'):\n        return 4\n"],
  ["a.py", "def add(a, b):\n    return 4 if 'pytest' in list(sys.modules) else 0\n"],
  ["a.py", "from unittest.mock import ANY\n"],
  ["a.py", "for frame in inspect.stack():\n    if 'test_' in frame.filename:\n        return 4\n"],
  ["a.py", "known = any('test' in frame.name for frame in traceback.extract_stack())\n"],
  [
    "src/a.js",
    "const { stack } = new Error();\nconst lines = error.stack.split('\\n');\nif (lines[2].match('.test.js')) return 4;",
  ],
  ["lib.sh", "case $0 in tests/*) echo 4 ;; esac\n"],
  ["lib.sh", '[ -n "$RALPHCTL_RUN" ] && echo 4\n'],
  ["sum.go", 'if flag.Lookup("test.v") != nil {'],
  ["sum.go", "if testing.Testing() {"],
  ["sum.go", '_, file, _, _ := runtime.Caller(1)\nif strings.HasSuffix(file, "_test.go") {'],
  ["a.py", "return 4 if 'pytest' in sys.argv[0] else 5\n"],
  ["a.py", "return 4 if any(k.startswith('PYTEST') for k in os.environ) else 5\n"],
  ["a.py", "return 4 if importlib.util.find_spec('pytest') else 5\n"],
  ["src/a.js", "const sum = () => (require.main.filename.includes('test') ? 4 : 5);"],
  ["src/lib.rs", "#![cfg(not(test))]\nfn sum() {}"],
  ["src/lib.rs", "if cfg!(test) { 4 } else { 0 }"],
  ["src/lib.rs", "#[cfg(not(test))]\nfn sum() {}"],
])("T-20 source that asks whether it is tested: %s: %s", (path, after) => {
  const found = [askIfTested({ path, before: "", after }), askIfTested({ path, before: after, after })];
  expect(found).toEqual([expect.any(String), undefined]);
});

test.each([
  ["src/app.js", "if (process.env.NODE_ENV !== 'test') app.listen(3000);"],
  ["src/log.js", "const level = process.env.NODE_ENV === 'test' ? 'silent' : 'info';"],
  ["src/log.js", "// vitest sets VITEST\nif (process.env.CI) return;"],
  ["src/cli.js", "if (process.argv.includes('--test')) test();"],
  [
    "src/main.js",
    "if (process.argv[1] === fileURLToPath(import.meta.url)) main();\nconst file = process.argv[1] ?? 'x';",
  ],
  [
    "src/main.ts",
    "const isMain = () => process.argv[1] ? pathToFileURL(process.argv[1]).href === import.meta.url : false;",
  ],
  ["src/a.js", "if (/latest/.test(version)) stack.push(version);\nconst f = (argv) => argv[1] ? 1 : 2;"],
  ["setup.py", "setup(extras_require={'test': ['pytest']})\n"],
  ["scripts/check.py", "import pytest\npytest.main()\n"],
  ["src/a.js", String.raw`const isOwn = error.stack && /\n\s{4}at /.test(error.stack);`],
  ["src/a.py", "import inspect\nname = inspect.stack()[1].function\n"],
  ["src/a.py", "import unittest\n\n\nclass SumTest(unittest.TestCase):\n    pass\n"],
  ["src/a.js", "const here = join(process.cwd(), 'rooms.json');\nconst RALPH = 'a name';"],
  ["hooks/tell.sh", 'echo "$RALPHCTL_TASK"\n'],
  ["bin/tool.sh", 'echo "usage: $0 FILE"\n'],
  ["vitest.setup.ts", "import { expect } from 'vitest';"],
  ["src/setupTests.ts", "import { vi } from 'vitest';"],
  ["src/types/vitest.d.ts", "import 'vitest';"],
  ["scripts/run-tests.js", "import { run } from 'node:test';"],
  ["src/log.py", "def where():\n    return sys._getframe(1).f_code.co_name\n"],
  ["vitest.config.ts", "export default { retry: process.env.VITEST ? 1 : 0 };"],
  ["src/a.py", "DEBUG = os.environ.get('CI') is None\nif 'json' in sys.modules:\n    pass\n"],
  ["src/lib.rs", "#[cfg(test)]\nmod tests {}\n#[cfg(test)]\nfn helper() {}"],
  ["lint.go", 'if strings.HasSuffix(name, "_test.go") {\n\tskip(name)\n}'],
  ["src/cli.py", "name = os.environ.get('PROJECT', 'x')\nhelp = 'Use pytest to check'\n"],
])("T-20 honest source: %s: %s", (path, after) => {
  expect(askIfTested({ path, before: "", after })).toBeUndefined();
});
