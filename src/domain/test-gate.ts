/** The words by which commands and scripts that run tests are known. */
const TEST_WORDS =
  /\b(tests?|specs?|check|verify|ci|vitest|jest|mocha|ava|tap|pytest|unittest|nose2?|tox|nox|rspec|minitest|phpunit|pest|ctest|bats|junit|nextest|playwright|cypress|karma|jasmine|mvn|gradlew?)\b/i;

/** T-21: whether a gate runs tests, by its name, its command, and the script behind it. A linter or a build does not. */
export const runsTests = (...texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && TEST_WORDS.test(text));
