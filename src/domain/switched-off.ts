import { withoutComments } from "./without-comments.ts";

/** The two states of a source file. */
export interface EditedSource {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Both states without comments, which do nothing: to find them takes as long as many patterns. */
export type EditedCode = Omit<EditedSource, "path">;

export const codeOf = ({ path, before, after }: EditedSource): EditedCode => ({
  before: withoutComments(path, before),
  after: withoutComments(path, after),
});

const JS = /\.[cm]?[jt]sx?$/;
const PYTHON = /\.py$/;
const RUBY = /\.rb$/;
const GO = /\.go$/;
const C = /\.(?:c|cc|cpp|cxx|h|hh|hpp)$/;
const SHELL = /\.(?:sh|bash)$/;

const CHECKERS =
  "(?:node:)?(?:assert(?:/strict)?|test)|chai|vitest|@vitest/[\\w-]+|@jest/[\\w-]+|jest|mocha|expect|should|ava|tape|tap|uvu(?:/assert)?";
/** The names by which a file knows a library for tests as a whole. */
const BOUND = new RegExp(
  String.raw`(?:\bimport\s+(?:\*\s*as\s+)?(\w+)(?:\s*,\s*\{[^{}]*\})?\s+from\s+|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+import\(|require\()\s*)["'](?:${CHECKERS})["']`,
  "g",
);
const MEMBER = String.raw`(?:\??\.[\w$]+|\[[^\]\n]+\])`;
const ASSIGNED = String.raw`\s*(?:=(?![=>])|\?\?=|\|\|=|&&=)`;

/** From a beginning to its end, but not beyond the next beginning: else a text full of beginnings would take hours. */
function upTo(beginning: string, between: string, end: string): RegExp {
  return new RegExp(`${beginning}(?:(?!${beginning})${between})*?${end}`, "g");
}

/** Each changes what an assertion means, or which result a test runner tells. */
const PATCHES: readonly (readonly [RegExp, RegExp])[] = [
  [JS, new RegExp(String.raw`require\(\s*["'](?:${CHECKERS})["']\s*\)${MEMBER}+${ASSIGNED}`, "g")],
  [
    JS,
    new RegExp(
      String.raw`\bObject\.is${ASSIGNED}|\b(?:Object\.(?:assign|definePropert\w+)|Reflect\.(?:set|defineProperty))\(\s*Object\s*,`,
      "g",
    ),
  ],
  [JS, /\bsyncBuiltinESMExports\b|\bModule\._load\s*=(?!=)|\basymmetricMatch\b/g],
  [JS, /\bObject\.defineProperty\(\s*process\s*,\s*["'](?:exitCode|exit)["']/g],
  [PYTHON, /\b(?:unittest|pytest|_pytest)(?:\.\w+)+\s*=(?!=)|\bTestCase\.\w+\s*=(?!=)/g],
  [PYTHON, /\bsetattr\(\s*(?:unittest|pytest|TestCase)\b|\bsys\.modules\[\s*["'](?:unittest|_?pytest)\b/g],
  [PYTHON, upTo(String.raw`\bdef __(?:eq|ne)__\(`, "[^)]", String.raw`\)[^:\n]*:\s*return (?:True|False)\b`)],
  [/\.rs$/, upTo(String.raw`\bfn (?:eq|ne)\(\s*&self`, "[^)]", String.raw`\)\s*->\s*bool\s*\{\s*(?:true|false)\s*\}`)],
  [
    /\.(?:java|kts?|cs)$/,
    upTo(
      String.raw`\b(?:boolean|bool|fun)\s+[eE]quals\(`,
      "[^)]",
      String.raw`\)\s*(?::\s*Boolean\s*)?(?:\{\s*return\s+(?:true|false)\b|=>?\s*(?:true|false)\b)`,
    ),
  ],
  [RUBY, upTo(String.raw`\bdef (?:==|eql\?)\(`, "[^)]", String.raw`\)\s*=?\s*(?:true|false)\b`)],
  [RUBY, /^[ \t]*(?:module|class) (?:Minitest|RSpec|Test::Unit)\b/gm],
];

/** Only in files that are no tests: a test may put a double in the place of such a thing. */
const SOURCE_PATCHES: readonly (readonly [RegExp, RegExp])[] = [
  [JS, new RegExp(String.raw`\b(?:globalThis|global|window)\.(?:expect|assert|test|it|describe)${ASSIGNED}`, "g")],
  [JS, /\bprocess\.(?:exit|reallyExit)\s*=(?!=)|\bprocess\.exitCode\s*=\s*(?:0|undefined)\b/g],
  [
    JS,
    upTo(
      String.raw`\bprocess\s*\.(?:on|once|addListener|prepend\w+)\(\s*["'](?:exit|beforeExit)["']`,
      "[^;]",
      String.raw`[eE]xit(?:Code\s*=|\()`,
    ),
  ],
  [
    JS,
    /\bextends\s+(?:Number|String)\b[^]{0,500}?\bvalueOf\s*\(\s*\)\s*\{\s*return\s+(?:-?\d|["'])|\bvalueOf\s*:\s*\(\s*\)\s*=>\s*(?:-?\d|["'])/g,
  ],
  // By whatever name the library is known.
  [
    JS,
    /\.(?:(?:not)?(?:[sS]trict|[dD]eep)\w*Equal|toBe|toEqual|toStrictEqual|toMatch\w*)\s*=(?![=>])|\.(?:equal|notEqual|throws|rejects)\s*=\s*(?:\(?[\w\s,.]*\)?\s*=>\s*(?:\{\s*\}|undefined\b|null\b|true\b|void\b)|function\s*\([^)\n]*\)\s*\{\s*\})/g,
  ],
  [JS, /\bgetBuiltinModule\(\s*["'](?:node:)?(?:assert|test)/g],
  [JS, /\[Symbol\.toPrimitive\]\s*[(:=][^\n]*?(?:return|=>)\s*-?\d/g],
  [JS, /["']node:["']\s*\+\s*["'](?:te|as|mod|v)/g],
  [PYTHON, /\batexit\.register\([^\n]*_exit|\b(?:sys\.exit|os\._exit)\s*=(?!=)/g],
  [RUBY, /\bat_exit\b[^\n]*\bexit!/g],
  [
    PYTHON,
    upTo(
      String.raw`\bclass \w+\((?:int|float|complex|str|bytes|tuple|list|dict|Decimal)\):`,
      String.raw`\n(?:[ \t][^\n]*)?`,
      String.raw`\n[ \t]+def __eq__\([^)\n]*\)[^:\n]*:\s*return (?![^\n]*\bself\b)`,
    ),
  ],
  [PYTHON, /\.assert\w+\s*=(?!=)|\bsetattr\([^\n]*["']assert\w*["']/g],
  [PYTHON, /\bbuiltins\.[a-zA-Z]\w*\s*=(?!=)|\bimport_module\(\s*["'](?:_?pytest|unittest)\b/g],
  [/\.rs$/, /\bmacro_rules!\s*(?:debug_)?assert(?:_eq|_ne|_matches)?\b/g],
  [
    C,
    /^[ \t]*#[ \t]*(?:undef|define)[ \t]+(?:assert|NDEBUG|static_assert|REQUIRE|(?:EXPECT|ASSERT|TEST_ASSERT|CU_ASSERT)\w*|c[kr]_assert\w*)\b/gm,
  ],
  [C, /\b(?:__assert(?:_fail|_rtn|_func)?|_assert|_wassert|abort)\s*\([^;{}]*\)\s*\{/g],
  [
    SHELL,
    /^[ \t]*(?:function[ \t]+)?(?:exit|test|\[|grep|diff|cmp|assert\w*)[ \t]*\([ \t]*\)|^[ \t]*alias[ \t]+(?:exit|test|\[|grep|diff|cmp|assert\w*)=/gm,
  ],
  [SHELL, /\btrap\b[^\n]*\bexit[ \t]+0\b[^\n]*\b(?:EXIT|ERR|0)\b/g],
  [GO, upTo(String.raw`\bfunc init\(\)\s*\{`, "[^}]", String.raw`\b(?:os|syscall|unix)\.(?:Exit|Exec)\(`)],
  [GO, /\bflag\.(?:CommandLine\.)?Set\(\s*"test\.|\bos\.Args\b[^\n]*"-test\./g],
];

/**
 * What a change does to the libraries or programs that test it, as the words of the code. Undefined: nothing that is known.
 * `isTest`: the file is a test itself.
 */
export function patchOfTests(source: EditedSource, isTest: boolean): string | undefined {
  const { path } = source;
  const code = codeOf(source);
  const found = first(isTest ? PATCHES : [...PATCHES, ...SOURCE_PATCHES], path, code);
  return found ?? (JS.test(path) ? patchOfBound(source.after, code) : undefined);
}

/** What the patterns for a file find first. */
export function first(
  patterns: readonly (readonly [RegExp, RegExp])[],
  path: string,
  code: EditedCode,
): string | undefined {
  for (const [files, pattern] of patterns) {
    const found = files.test(path) ? added(pattern, code) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const WORD = /(?<![\w.$])\w+/g;
const CHANGED_MEMBER = new RegExp(`${MEMBER}+${ASSIGNED}`, "y");
const CHANGES = /\b(?:Object\.(?:assign|define\w+|setPrototypeOf)|Reflect\.(?:set|defineProperty))\(\s*(\w+)\b/g;

/** By the name that the file gives to the library: `check.equal = …`. All names in one pass: a file can have thousands. */
function patchOfBound(text: string, code: EditedCode): string | undefined {
  const names = new Set(Array.from(text.matchAll(BOUND), ([, imported, required]) => imported ?? required!));
  if (names.size === 0) return undefined;
  const found = (text: string): string[] => [
    ...[...text.matchAll(WORD)].flatMap(({ 0: name, index }) => {
      if (!names.has(name)) return [];
      CHANGED_MEMBER.lastIndex = index + name.length;
      const change = CHANGED_MEMBER.exec(text)?.[0];
      return change === undefined ? [] : [name + change];
    }),
    ...[...text.matchAll(CHANGES)].flatMap(([match, name = ""]) => (names.has(name) ? [match] : [])),
  ];
  return addedBy(found, code);
}

const EXITS: readonly (readonly [RegExp, RegExp])[] = [
  // The program goes on after an assertion that failed, and ends as a success.
  [
    JS,
    /\bprocess\s*\.(?:on|once|addListener|prepend\w+)\(\s*["'\x60](?:uncaughtException|unhandledRejection)["'\x60](?![^]{0,400}?\b(?:exit\w*|abort|kill|throw)\b)|\bsetUncaughtExceptionCaptureCallback\(\s*(?!null)/g,
  ],
  [
    JS,
    /\bprocess\s*(?:\??\.\s*|\[\s*["'\x60])(?:exit|reallyExit)(?:["'\x60]\s*\])?\s*(?:\?\.)?\(\s*0?\s*\)|\bexit\b[^{}\n]*\}\s*(?:=\s*process\b|from\s*["'](?:node:)?process["'])/g,
  ],
  [
    PYTHON,
    /(?:(?<![\w.])(?:sys\.exit|os\._exit|_exit|exit|quit)|\)\._exit|["']_exit["']\s*\))\(\s*(?:0|None|False)?\s*\)|\bos\.exec[lv]p?e?\(|\braise SystemExit(?:\(\s*0?\s*\))?\s*$/gm,
  ],
  [GO, /\b(?:os|syscall|unix)\.Exit\(\s*0\s*\)/g],
  [RUBY, /(?<![\w.])exit!?\s*(?:\(\s*(?:0|true)?\s*\)|0|true)?\s*$/gm],
  [/\.rs$/, /\bprocess::exit\(\s*0\s*\)/g],
  [/\.php$/, /(?<![\w>:])(?:exit|die)\s*(?:\(\s*0?\s*\))?\s*;/g],
  [/\.(?:java|kt)$/, /\b(?:System\.exit|exitProcess|getRuntime\(\)\.(?:exit|halt))\(\s*0\s*\)/g],
  [
    SHELL,
    /^(?:[^#\n]*\}[ \t]*;[ \t]*|[^#\n(){}]*[;&|][ \t]*)?exit(?:[ \t]+0)?[ \t]*(?:$|[;&])|^exec[ \t]+(?![<>\d&])\S+/gm,
  ],
  // The shell reads no further command, or goes on after an assertion that fails.
  [SHELL, /^(?:set[ \t]+(?:-[a-z]*n[a-z]*|\+[a-z]*e[a-z]*|-o[ \t]+noexec|\+o[ \t]+errexit)|enable[ \t]+-n)\b/gm],
  [C, /(?<![\w.])(?:_?exit|_Exit|quick_exit)\(\s*(?:0|EXIT_SUCCESS)\s*\)/g],
];

/** Programs that people start end by themselves. */
const PROGRAM =
  /(?:^|\/)(?:bin|cmd|scripts?|tools?|cli|examples?)\/|(?:^|[/_-])(?:cli|main|__main__|app|server|manage|cmd|command|start|run)\.[^/]+$/i;
const READS_ARGUMENTS =
  /^#!|\bargv\b|\bargparse\b|\bcommander\b|\byargs\b|\bclick\b|\btyper\b|\bflag\.Parse\b|\bos\.Args\b|\benv::args\b|\bARGV\b/;

/** Code that ends the program as a success, where only the code is left to see it: a module that a test loads has no reason to. */
export function exitOf({ path, before, after }: EditedSource): string | undefined {
  // Whether a script is a program, its old text tells: to source one with a first line of its own does not run another.
  const told = SHELL.test(path) && before !== "" ? before : after;
  if (PROGRAM.test(path) || READS_ARGUMENTS.test(told)) return undefined;
  return first(EXITS, path, codeOf({ path, before: withoutMain(before), after: withoutMain(after) }));
}

/** As test runners count: digits, or what stands for them, and the word. */
const SUMMARY =
  /(?:\d|\}|%[sdi]|["'`])[ \t]+(?:tests? )?pass(?:ed|ing)?\b|[#ℹ] pass[ \t]*[\d$%{"'`]|\bRan\b.{0,20}\btests?\b|\btest result:|\bTests run:|\bOK \(|\b\d+ examples?,/g;

/** The same for code that also prints what a test runner would count: nothing else in the output tells it from tests. */
export function forgedEndOf(source: EditedSource): string | undefined {
  const code = codeOf(source);
  return added(SUMMARY, code) === undefined ? undefined : first(EXITS, source.path, code);
}

/** What Python runs only if the file is the program. */
const withoutMain = (text: string): string => text.replaceAll(/^if __name__ ==[^\n]*\n(?:[ \t]+[^\n]*\n?|\n)*/gm, "");

/** What the pattern finds first of that. */
const added = (pattern: RegExp, code: EditedCode): string | undefined =>
  addedBy((text) => Array.from(text.matchAll(pattern), ([match]) => match.trim()), code);

/** The first that is found in `after` and of which `before` has fewer. */
function addedBy(find: (text: string) => readonly string[], { before, after }: EditedCode): string | undefined {
  const known = new Map<string, number>();
  for (const match of find(before)) known.set(match, (known.get(match) ?? 0) + 1);
  for (const match of find(after)) {
    const count = known.get(match) ?? 0;
    if (count === 0) return match.replaceAll(/\s+/g, " ").slice(0, 60);
    known.set(match, count - 1);
  }
  return undefined;
}
