/** The words by which commands and scripts that run tests are known. */
const TEST_WORDS =
  /\b(tests?|specs?|check|verify|ci|vitest|jest|mocha|ava|tap|pytest|unittest|nose2?|tox|nox|rspec|minitest|phpunit|pest|ctest|bats|junit|nextest|playwright|cypress|karma|jasmine|mvn|gradlew?)\b/i;

/** The same words where they speak of a linter, a formatter or a compiler: `CI=1`, `prettier --check`, `ruff check`. */
const OTHER_CHECKS =
  /\bCI=\S*|(?<=\s)--?[\w-]*check[\w-]*|\b(?:ruff|biome|oxlint|deno|cargo|astro|black|isort|terraform|buf) check\b|\b(?:svelte|astro|vue|elm|fmt|format|types?|lint|style|prettier|spell|links?)[-_:]check\b|\bcheck[-_:](?:fmt|format|formatting|types?|typing|lint|style|prettier|spelling|links?)\b/gi;

/** T-21: whether a gate runs tests, by its name, its command, and the script behind it. A linter or a build does not. */
export const runsTests = (...texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => TEST_WORDS.test(text?.replaceAll(OTHER_CHECKS, " ") ?? ""));

const READERS =
  /^(?:!\s*)*(?:test|\[\[?|[ef]?grep|rg|diff|cmp|ls|cat|find|stat|wc|head|tail|sort|jq|yq|awk|echo|cd|true)(?=\s|$)/;

/** Whether a command only looks at files, so that tests can be the work that it asks for. */
export const onlyReads = (command: string): boolean =>
  command.split(/&&|\|\|?|;|\n/).every((part) => READERS.test(part.trim()));
