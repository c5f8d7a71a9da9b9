import { codeOf, type EditedSource, first } from "./switched-off.ts";

const JS = /\.[cm]?[jt]sx?$/;
/** Some files of Python only install, or run checks. */
const PYTHON =
  /^(?!(?:.*\/)?(?:scripts?|tools?|bin)\/)(?!(?:.*\/)?(?:setup|noxfile|conftest|tasks|manage)\.py$).*\.py$/;
const SHELL = /^(?!(?:.*\/)?(?:scripts?|tools?|ci|hooks?|\.[^/]+)\/).*\.(?:sh|bash)$/;
/** A program that starts tests loads their runner, too. */
const MODULE =
  /^(?!(?:.*\/)?(?:scripts?|tools?|bin)\/)(?!.*\.d\.[cm]?ts$)(?!.*(?:^|[/.])(?:vitest|jest)[.-]setup)(?!.*setup-?tests?\.).*\.[cm]?[jt]sx?$/i;

/** Words of an environment in which code usually only logs less. It is more if they choose the value of a function. */
const MODE = String.raw`(?:NODE_ENV["'\]]*\s*===?\s*["']test["']|\benv(?:\.CI\b|\[["']CI["']\]))`;
const PYTHON_MODE = String.raw`environ[^\n]*["'](?:CI|TESTING)["']`;

/** Each asks whether a test runner, or ralphctl, runs the code. */
const QUESTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?!.*\.(?:sh|bash)$)/, /\bRALPH(?:CTL)?(?:_[A-Z]*\b|["'`/])/g],
  [SHELL, /\bRALPH(?:CTL)?_[A-Z]*\b/g],
  [
    /./,
    /\b(?:cwd\(\)|getcwd\(\)|PWD\b|__dirname|__filename|__file__|import\.meta\.(?:url|dirname|filename))[^;\n]*\b(?:room|lanes?|ralph)\b(?!\.\w)|\/[^/\n]*\b(?:room|lane|ralph)\b[^/\n]*\/\w*\.test\([^;\n]*(?:cwd\(\)|__dirname|__filename|import\.meta)/g,
  ],
  [JS, /\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST(?:_[A-Z_]+)?)\b/g],
  [JS, /\bstack\b[^;\n]*\.(?:includes|match|indexOf|search)\([^;\n]*(?:test|spec)/gi],
  [JS, /\/[^/\n]*\b(?:test|spec)\b[^/\n]*\/\w*\.(?:test|exec)\([^;\n]*\bstack\b/gi],
  // A module that asks whether it is the program itself names its own file.
  [
    JS,
    /(?:\breturn\b|=>)(?![^;\n]*(?:import\.meta|[fF]ileURL|realpath))[^;\n]*\bprocess\.argv\[1\][^;\n]*(?<!\?)\?(?![.?])/g,
  ],
  [MODULE, /\b(?:from|import|require\()\s*["'](?:node:test|@jest\/globals|vitest|mocha|ava)["']/g],
  [JS, /\bprocess\.argv\[1\][^;\n]*\.(?:includes|match|indexOf|search|endsWith)\([^;\n]*(?:test|spec)/gi],
  [JS, /\b(?:argv|execArgv)\.(?:some|find|includes|join)\([^;\n]*(?:vitest|jest|mocha|\.test\b|\.spec\b)/g],
  [JS, /\btypeof\s+(?:describe|jest|vi|__vitest\w*)\b|\bglobalThis\.(?:describe|jest|__vitest\w*)\b/g],
  [JS, /\b(?:mainModule|main\??\.filename|Bun\.main)\b[^;\n]{0,80}["'/][^"'/\n]{0,80}(?:test|spec)/g],
  [JS, new RegExp(String.raw`(?:\breturn\b|=>)[^;\n]*${MODE}[^;\n]*\?`, "g")],
  [JS, new RegExp(String.raw`\bif\s*\([^{}\n]*${MODE}[^{}\n]*\)\s*\{?\s*return\s+[^;\s}]`, "g")],
  [PYTHON, /\bPYTEST_(?:CURRENT_TEST|VERSION)\b|["'](?:_?pytest|unittest)["']\s+(?:not\s+)?in\s+sys\.modules\b/g],
  [
    PYTHON,
    /\bsys\.modules\.get\(\s*["'](?:_?pytest|unittest)|\bsys\.argv\[0\][^\n]*test|\binspect\.stack\(\)[^\n]*test/g,
  ],
  [PYTHON, /["'](?:_?pytest|unittest)["'][^\n]*\bsys\.modules\b/g],
  [
    PYTHON,
    /^[ \t]*(?:(?:from|import)[ \t]+(?:_?pytest|unittest\.mock)\b|from[ \t]+unittest[ \t]+import[ \t]+mock\b)/gm,
  ],
  [
    PYTHON,
    /\b(?:inspect\.(?:stack|currentframe)|_getframe|(?:extract|walk|format)_stack)\b[^]{0,300}?["'][^"'\n]*test/g,
  ],
  [JS, /\.stack\b[^]{0,200}?["'\x60/][^"'\x60/\n]*(?:\btest(?!\()|\.spec\b|__tests__)/g],
  [SHELL, /\bBATS_[A-Z_]+\b|\$\{?(?:0|BASH_SOURCE)\b[^\n]*\btests?\b/g],
  [PYTHON, /["'][^"'\n]*test[^\n]*\b(?:extract|walk|format)_stack\b/g],
  [PYTHON, /\b(?:_getframe|currentframe)\([^\n]*\bf_locals\b/g],
  [PYTHON, new RegExp(String.raw`\breturn\s[^\n]*\bif\b[^\n]*${PYTHON_MODE}`, "g")],
  [PYTHON, new RegExp(String.raw`\bif\b[^\n]*${PYTHON_MODE}[^\n]*:\s*return\s+\S`, "g")],
  [
    PYTHON,
    /["'][^"'\n]{0,80}(?:pytest|unittest|PYTEST)[^"'\n]{0,80}["'][^\n]{0,150}\b(?:sys\.argv|environ|__main__|orig_argv)\b|\b(?:sys\.argv|environ|__main__|orig_argv|find_spec)\b[^\n]{0,150}["'][^"'\n]{0,80}(?:pytest|unittest|PYTEST)/g,
  ],
  [/\.go$/, /\b(?:runtime\.Callers?|debug\.Stack|os\.Executable)\([^]{0,300}?"[^"\n]*(?:test|testing)/g],
  [/\.go$/, /\bflag\.Lookup\(\s*"test\.|\btesting\.Testing\(\)|\bos\.Args\[0\][^\n]*test/g],
  [/\.rs$/, /\bcfg!\(\s*(?:not\(\s*)?test\b|#!?\[cfg\(\s*not\(\s*test\b/g],
  [/\.rb$/, /\bdefined\?\(?\s*(?:RSpec|Minitest)\b/g],
  [/\.php$/, /\bPHPUNIT_[A-Z_]+\b/g],
];

const CONFIGURATION = /\.config\.[^/]+$/;

/** The words by which a changed source asks whether it is being tested. Then its tests speak of other code than users run. */
export function askIfTested(source: EditedSource): string | undefined {
  if (CONFIGURATION.test(source.path)) return undefined;
  return first(QUESTIONS, source.path, codeOf(source));
}
