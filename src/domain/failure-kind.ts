/** Why a test run failed, as far as its output tells. */
export type FailureKind = "assertion" | "missing name" | "unknown";

/**
 * T-21: a test that fails because a name is not there says little about what the work does. An assertion that fails says
 * more, whatever else failed beside it.
 */
export function failureKind(output: string): FailureKind {
  if (ASSERTIONS.some((pattern) => pattern.test(output))) return "assertion";
  return MISSING_NAMES.some((pattern) => pattern.test(output)) ? "missing name" : "unknown";
}

/** As runners report them; a code frame that shows the line of an assertion is none. */
const ASSERTIONS: readonly RegExp[] = [
  /\bAssertion(Failed)?(Error|Exception)?\b(?= \[ERR_ASSERTION\]|:| \()/, // Node, Vitest, Chai, Python, JUnit
  /^E {3,}assert /m, // pytest
  /^[ \t]*expect\((received|\w+)\)\.[\w.]+\(/m, // Jest
  /\bassertion (?:(?!\bassertion ).)*failed\b/i, // Rust, C
  /^[ \t]*--- FAIL: /m, // Go: a package that does not compile has none
  /\bFailed asserting that\b/, // PHPUnit
  /^[ \t]*expected: .*\n\s*got: /m, // RSpec
  /^not ok \d+ .*\n(?:# .*\n)*#\s+(?:in test file|\(in test)/m, // Bats
];

const MISSING_NAMES: readonly RegExp[] = [
  /\bCannot find (module|package|name|type)\b/i,
  /\bERR_MODULE_NOT_FOUND\b|\bFailed to (resolve import|load url)\b|\bCould not resolve\b/i,
  /\bQualified path resolution failed\b|\btried to access (?:(?!\btried to access ).)*, but it isn't declared in\b/, // yarn, Plug'n'Play
  /\bdoes not provide an export named\b|\bhas no exported member\b|\bNo matching export\b/,
  /\bis not (a function|defined|a constructor)\b/,
  /\b(ModuleNotFoundError|ImportError|NameError|AttributeError)\b/,
  /\berror\[E04(05|12|23|25|32|33)\]|\bcannot find (function|value|type|macro|struct|crate)\b|\bno method named\b/,
  /\bundefined: \w|\bundeclared name: \w|\bhas no attribute "\w+"|\bis not in std\b|\bno required module provides package\b|\[build failed\]/,
  /\bcannot find symbol\b|\bunresolved reference\b|\bundefined (method|function|local variable)\b|\bNoMethodError\b/i,
  /\bundefined reference to\b|\bwas not declared in this scope\b|\bimplicit declaration of function\b/,
  /\bfatal error: \S+ (?:No such file|file not found)|\bCannot find '\w+' in scope\b|\berror CS0(?:103|234|246|117|1061)\b/i, // C, Swift, C#
  /\bProperty '\w+' does not exist on type\b/,
  /: (?:line )?\d+: [\w.-]+: (?:command )?not found\b/, // shells
  /\bcannot load such file\b|\bClass "[^"]*" not found\b/,
];
