// T-10: manifests that are programs (setup.py, Gemfile, build.gradle). To change the data in them is work; code among the
// data is none.

/** A text without anything that runs inside, and not of several lines. */
const TEXT = String.raw`"[^"\\\n@]*"(?!["'])|'[^'\\\n@]*'(?!["'])`;
const ITEMS = String.raw`(?:${TEXT}|[\s,:[\]]|#[^\n]*\n)*`;

const OF_SETUP = new RegExp(
  String.raw`\b(?:version|description|long_description|author|author_email|url|python_requires|classifiers|keywords|license|packages|py_modules|install_requires|tests_require|extras_require)\s*=\s*(?:"[^"\n]*"|'[^'\n]*'|\[${ITEMS}\]|\{${ITEMS}\}),?\s*`,
  "g",
);

/** A setup.py without what the package is called, and the packages of a registry that it needs. */
export const withoutNames = (text: string): string => text.replaceAll(OF_SETUP, "");

const RUBY_TEXT = String.raw`"[^"\\#]*"|'[^'\\]*'|%[wi]\[[\w\s.-]*\]`;
const GEM_LINE = new RegExp(
  String.raw`^\s*(?:end|(?:gem|source|ruby|group|platforms?|gemspec)\b[\s(]*(?:${RUBY_TEXT}|:\w+|\w+:|true|false|nil|=>|[\d.\s,[\]{}])*\)?(?:\s*do)?)?\s*(?:#.*)?$`,
);

/** Whether a line of a Gemfile only says which gems there are. */
export const isGemLine = (line: string): boolean => GEM_LINE.test(line);

const GRADLE_TEXT = String.raw`"(?:[^"\\$]|\$\w|\$\{[\w.]+\})*"|'[^'\\]*'`;
const GRADLE_WORD = String.raw`\w*(?:[Ii]mplementation|[Aa]pi|Only|[Pp]rocessor|[Cc]lasspath|[Cc]ompile|[Rr]untime)|kapt\w*|ksp\w*|coreLibraryDesugaring|exclude|because|transitive|isTransitive|changing|constraints|version|strictly|prefer|require|reject|"\w+"`;
const GRADLE_CALL = String.raw`(?:platform|enforcedPlatform|project|files|fileTree|kotlin|npm|testFixtures|gradleApi|localGroovy|gradleTestKit)\s*\(`;
const GRADLE_LINE = new RegExp(
  String.raw`^\s*(?:(?:${GRADLE_WORD})(?:[\s(]+(?:${GRADLE_TEXT}|${GRADLE_CALL}|(?:group|name|version|module|path|configuration|dir|include|classifier|ext)\s*=|[\w.]+(?![\w.]*\s*['"(=])|[\s,:)[\]@])*)?|[\s)]*)(?:\/\/.*)?$`,
);

/** Whether a line of `dependencies { … }` only says which packages there are. */
export const isDependencyLine = (line: string): boolean =>
  line.split(/[{}]/).every((part) => part.length < LONGEST_LINE && GRADLE_LINE.test(part));

const LONGEST_LINE = 500;
