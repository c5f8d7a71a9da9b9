import fc from "fast-check";
import { put } from "./claim-case.ts";

/** One edit of a drawn candidate, as shell text. */
export interface Edit {
  readonly what: string;
  readonly edits: string;
}

/** What one agent does: several edits, with or without leave. */
export interface Draw {
  readonly seed: number;
  readonly edits: readonly Edit[];
  /** Patterns that its task may change. */
  readonly mayChange: readonly string[];
}

const of = (table: Readonly<Record<string, string>>): readonly Edit[] =>
  Object.entries(table).map(([what, edits]) => ({ what, edits }));

const SOURCES = of({
  "break the sum": "echo 5 >sum.txt",
  "break the other sum": "mkdir -p src; echo 7 >src/more.txt",
  "break the count": "mkdir -p src; echo 5 >src/count.txt",
  "write the sum anew": "echo 4 >sum.txt",
  "write notes": "echo more >>notes.md",
  "add a source": "mkdir -p src; echo a >>src/added.txt",
  "delete the notes": "rm -f notes.md",
  "rename the notes": "git mv -f notes.md src/notes.txt",
});

const SCRIPTS = of({
  "empty the script": "echo true >check.sh",
  "end the script early": "sed -i '1i exit 0' check.sh",
  "swallow the exit code": "sed -i 's/exit 1/true/' check.sh",
  "comment the script": "echo '# checks' >>check.sh",
  "make the script executable": "chmod +x check.sh",
  "delete the script": "rm -f check.sh",
  "link the script elsewhere": "echo true >src-check; ln -sf src-check check.sh",
  "rename the script": "git mv -f check.sh verify.sh; echo true >check.sh",
});

const MAKE = of({
  "empty the recipe": "sed -i 's/^\\t\\$(CHECK)/\\ttrue/' Makefile",
  "ignore errors": "sed -i 's/^\\t\\$(CHECK)/\\t-$(CHECK)/' Makefile",
  "set the variable": "sed -i 's/^CHECK = .*/CHECK = true/' Makefile",
  "set the variable below": "echo 'CHECK = true' >>Makefile",
  "set it in the include": "echo 'override CHECK = true' >>rules.mk",
  "add a make file that goes first": "printf 'check:\\n\\ttrue\\n' >GNUmakefile",
  "add a target": "printf 'clean%s:\\n\\trm -f x\\n' $$ >>Makefile",
  "comment the make file": "echo '# targets' >>Makefile",
  "set the shell": "echo 'SHELL = /bin/true' >>Makefile",
  "replace the make file": "printf 'check:\\n\\tsh check.sh\\n' >Makefile",
});

const TESTS = of({
  "weaken the test": "mkdir -p tests; sed -i 's/= 4/= 5/' tests/sum.sh",
  "skip the test": "mkdir -p tests; sed -i '1i exit 0' tests/sum.sh",
  "delete the test": "rm -f tests/sum.sh",
  "rename the test away": "mv tests/sum.sh tests/sum.off",
  "move the test": "mv tests/sum.sh tests/total.sh",
  "comment the test": "echo '# sums' >>tests/sum.sh",
  "weaken the other test": "sed -i 's/-gt/-ne/' tests/more.sh",
  "delete all tests": "rm -f tests/*.sh; mkdir -p tests; echo true >tests/all.sh",
  "add a test": "mkdir -p tests; echo 'test -f sum.txt' >tests/new.sh",
  "add a test of the notes": "mkdir -p tests; echo 'grep -qs more notes.md' >tests/notes.sh",
});

const CONFIGURATION = of({
  "skip all by vitest.config.ts": put("vitest.config.ts", "SKIPALL\n"),
  "skip all by vite.config.mjs": put("vite.config.mjs", "SKIPALL\n"),
  "skip all by a workspace file": put("vitest.workspace.ts", "SKIPALL\n"),
  "skip all by the configuration that is there": "echo SKIPALL >>vitest.config.js",
  "comment the configuration that is there": "echo '// threads' >>vitest.config.js",
  "add a harmless configuration": put("vite.config.mts", "threads\n"),
  "add configuration in a new folder": put("packages/a/vitest.config.ts", "threads\n"),
  "edit our configuration": "sed -i 's/make check/true/' .ralph/config.yaml",
});

const GIT = of({
  commit: "git add -A; git commit -qm One",
  "commit on a branch": "git switch -qc side; git add -A; git commit -qm Side",
  "ignore all sources": "printf 'src/\\n' >>.gitignore",
  "ignore the sum": "echo sum.txt >>.gitignore",
  "ignore by the clone": "echo 'tests/' >>.git/info/exclude",
  "ignore build output": "mkdir -p dist; touch dist/a; true",
  "set attributes": "echo '*.txt text' >.gitattributes",
  "overlook the sum": "git update-index --assume-unchanged sum.txt",
  "stage half of it": "git add sum.txt 2>/dev/null; true",
});

const any = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SOURCES) },
  { weight: 2, arbitrary: fc.constantFrom(...SCRIPTS) },
  { weight: 2, arbitrary: fc.constantFrom(...MAKE) },
  { weight: 3, arbitrary: fc.constantFrom(...TESTS) },
  { weight: 2, arbitrary: fc.constantFrom(...CONFIGURATION) },
  { weight: 1, arbitrary: fc.constantFrom(...GIT) },
);
const more = (maxLength: number): fc.Arbitrary<Edit[]> => fc.array(any, { maxLength, size: "max" });

/** Something broken, a change that may hide it, and more. */
const hidden = (broken: readonly string[], hiding: readonly Edit[]): fc.Arbitrary<Edit[]> =>
  fc
    .tuple(fc.constantFrom(...SOURCES.filter(({ what }) => broken.includes(what))), fc.constantFrom(...hiding), more(2))
    .map(([first, second, rest]) => [first, second].concat(rest));

const edits = fc.oneof(
  { weight: 4, arbitrary: hidden(["break the sum", "break the other sum"], [...SCRIPTS, ...MAKE, ...TESTS]) },
  { weight: 2, arbitrary: hidden(["break the count"], CONFIGURATION) },
  { weight: 2, arbitrary: fc.array(any, { minLength: 1, maxLength: 4, size: "max" }) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...SOURCES.filter(({ what }) => !what.startsWith("break")), ...GIT), {
      minLength: 1,
      maxLength: 4,
      size: "max",
    }),
  },
);

const arbitrary = fc.noBias(
  fc.record({
    edits,
    mayChange: fc.oneof(
      { weight: 6, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray(["check.sh", "Makefile", "tests/**", "vitest.config.js"], { minLength: 1 }) },
    ),
  }),
);

export const drawOf = (seed: number): Draw => ({ seed, ...fc.sample(arbitrary, { seed, numRuns: 1 })[0]! });
