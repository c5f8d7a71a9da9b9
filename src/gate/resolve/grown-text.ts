/** Build files that also name the sources of the work, so that most changes of them are work. */
const BUILD_FILE =
  /(?:^|\/)(?:CMakeLists\.txt|[^/]+\.(?:cmake|bzl)|meson\.build|(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?|Package\.swift|mix\.exs|build\.sbt|build\.(?:zig|mill|sc)|project\.clj|(?:deps|bb)\.edn|Makefile\.(?:am|in)|configure\.ac)$/;

/** Words by which a build leaves tests out, turns their result round, or goes another way. */
const TURNS =
  /^(?:WILL_FAIL|DISABLED|SKIP\w*|(?:PASS|FAIL)_REGULAR_EXPRESSION|set_tests_properties|set_property|NDEBUG|.*-DNDEBUG.*|return|if|else|elseif|elif|foreach|while|function|macro|set|unset|option|include|override|CMAKE_\w+|CTEST_\w+|should_fail|exclude\w*|filter\w*|testOptions|testFrameworks|XFAIL_TESTS|TESTS_ENVIRONMENT|alias(?:es)?|python\.\w+|run_command|execute_process|add_custom_command|add_custom_target|genrule|fork)$/i;

export const isBuildFile = (path: string): boolean => BUILD_FILE.test(path);

/** Read though nothing names it. */
export const isReadUnasked = (path: string): boolean => /(?:^|\/)(?:PreLoad|CTest\w*)\.cmake$/i.test(path);

/**
 * Whether a build file only got more: every word of it is still there, in its order, and the new ones turn nothing, stand in
 * no test that was there, and make no comment or text of what was there. So are new sources, targets, tests and libraries named.
 */
export function hasOnlyGrown(path: string, before: string, after: string): boolean {
  if (openings(path, after) > openings(path, before)) return false;
  const [old, now] = [wordsIn(before), wordsIn(after)];
  const added = addedTo(old, now);
  if (added === undefined || added.some((word) => TURNS.test(word.replace(/:$/, "")))) return false;
  return addedTo(testCalls(old), testCalls(now)) !== undefined;
}

/** What `after` has more than `before`; undefined if something is gone or in another order. */
function addedTo(before: readonly string[], after: readonly string[]): string[] | undefined {
  let at = 0;
  const added: string[] = [];
  for (const one of after) {
    if (one === before[at]) at += 1;
    else added.push(one);
  }
  return at === before.length ? added : undefined;
}

/** How often a comment or a text of several lines begins or ends. */
function openings(path: string, text: string): number {
  // Elsewhere these are in patterns: `src/*.c`.
  const marks = /\.(?:swift|sbt)$/.test(path) ? /\/\*|\*\/|"""/g : /#\[|\[=*\[|"""|'''/g;
  const odd = text.split("\n").filter((line) => line.split('"').length % 2 === 0);
  return odd.length + (text.match(marks)?.length ?? 0);
}

const TEST_CALL = /^(?:add_test|\w+_discover_tests|test|\.testTarget)$/i;

/** Each call that declares tests: what it stands in, and its words. */
function testCalls(words: readonly string[]): string[] {
  const open: { readonly name: string; readonly at: number }[] = [];
  const calls: string[] = [];
  for (const [at, word] of words.entries()) {
    if ("([{".includes(word)) open.push({ name: words[at - 1] ?? "", at });
    if (!")]}".includes(word)) continue;
    const call = open.pop();
    if (call === undefined || !TEST_CALL.test(call.name)) continue;
    calls.push([...open.map(({ name }) => name), call.name, ...words.slice(call.at, at)].join(" "));
  }
  return calls;
}

/** Comments do nothing. */
const wordsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/(?:^|\s)(?:#|\/\/).*$/, ""))
    .join("\n")
    .match(/[\w.$/@:+*%-]+|[^\s\w]/g) ?? [];
