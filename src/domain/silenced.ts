/** Comments that switch a checker off for a whole file. Those for one line are usual in honest work. */
const SILENCES =
  /^\s*(?:#|\/\/|\/\*+|<!--|;|--)!?\s*(?:@ts-nocheck|eslint-disable(?!-)|tslint:disable(?!-)|oxlint-disable(?!-)|biome-ignore-all|stylelint-disable(?!-)|prettier-ignore-start|mypy:\s*ignore-errors|type:\s*ignore\s*$|pyright:\s*(?:ignore|basic\s*$|off)|ruff:\s*noqa|flake8[:=]\s*noqa|pylint:\s*(?:disable=all|skip-file)|rubocop:disable\s+all|nolint:all|phpcs:(?:ignoreFile|disable)|phpstan-ignore-file|psalm-suppress-file|swiftlint:disable\s+all|NOLINTBEGIN|shellcheck\s+disable=all|istanbul ignore file|c8 ignore (?:file|start)|v8 ignore (?:file|start)|cspell:disable|noinspection ALL)|^\s*#!\[(?:allow\((?:warnings|clippy::all|unused)\)|cfg\()/;

/** Those that switch all of it off: of a new file these count alone, because it may need a rule less by what it is. */
const SILENCES_ALL =
  /@ts-nocheck|(?:eslint|tslint:|oxlint-|stylelint-)-?disable\s*(?:\*\/|$)|biome-ignore-all|ignore-errors|(?:type|pyright):\s*ignore\s*$|noqa\s*$|disable=all|skip-file|disable\s+all|nolint:all|ignoreFile|ignore-file|ignore file|#!\[allow\((?:warnings|clippy::all)\)/;
const GENERATED = /generated|do not edit/i;

/** The same for a new source. One that says that a program wrote it is nobody's to check. */
export const withoutSilenceIn = (text: string): string | undefined => {
  if (GENERATED.test(text.slice(0, 1000))) return undefined;
  const lines = text.split("\n");
  const kept = lines.filter((line) => !SILENCES.test(line) || !SILENCES_ALL.test(line));
  return kept.length === lines.length ? undefined : kept.join("\n");
};

/** T-10: a source without the comments by which the work lets checkers leave it out. Undefined if there are none. */
export function withoutSilence(before: string, after: string): string | undefined {
  const known = new Set(before.split("\n").filter((line) => SILENCES.test(line)));
  const lines = after.split("\n");
  const kept = lines.filter((line) => !SILENCES.test(line) || known.has(line));
  return kept.length === lines.length ? undefined : kept.join("\n");
}
