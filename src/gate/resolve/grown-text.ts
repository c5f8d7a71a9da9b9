/** Build files that also name the sources of the work, so that most changes of them are work. */
const BUILD_FILE =
  /(?:^|\/)(?:CMakeLists\.txt|[^/]+\.cmake|meson\.build|(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?|Package\.swift|mix\.exs|build\.sbt|build\.zig|Makefile\.am|configure\.ac)$/;

/** Words by which a build leaves tests out, turns their result round, or goes another way. */
const TURNS =
  /^(?:WILL_FAIL|DISABLED|SKIP\w*|(?:PASS|FAIL)_REGULAR_EXPRESSION|set_tests_properties|set_property|NDEBUG|.*-DNDEBUG.*|return|if|else|elseif|elif|foreach|while|function|macro|set|unset|option|include|override|CMAKE_\w+|CTEST_\w+|should_fail|exclude\w*|filter\w*|testOptions|testFrameworks|XFAIL_TESTS|TESTS_ENVIRONMENT|alias(?:es)?|python\.\w+|run_command|execute_process|add_custom_command|add_custom_target|genrule|fork)$/i;

export const isBuildFile = (path: string): boolean => BUILD_FILE.test(path);

/**
 * Whether a build file only got more: every word of it is still there, in its order, and the new ones turn nothing. So are
 * new sources, targets, tests and libraries named.
 */
export function hasOnlyGrown(before: string, after: string): boolean {
  const old = wordsIn(before);
  let at = 0;
  for (const word of wordsIn(after)) {
    if (word === old[at]) at += 1;
    else if (TURNS.test(word.replace(/:$/, ""))) return false;
  }
  return at === old.length;
}

/** Comments do nothing. */
const wordsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/(?:^|\s)(?:#|\/\/).*$/, ""))
    .join("\n")
    .match(/[\w.$/@:+*%-]+|[^\s\w]/g) ?? [];
