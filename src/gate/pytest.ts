import type { Found, Look } from "./source.ts";

/** Lock files by what starts a program in their environment. */
const RUNNERS: readonly (readonly [file: string, run: string])[] = [
  ["uv.lock", "uv run pytest"],
  ["poetry.lock", "poetry run pytest"],
  ["pdm.lock", "pdm run pytest"],
];

/** Where pytest's settings may be, and which part of the file they are. */
const SETTINGS: readonly (readonly [file: string, section: RegExp])[] = [
  ["pytest.ini", /^/],
  [".pytest.ini", /^/],
  ["pyproject.toml", /^\[tool\.pytest\b/],
  ["tox.ini", /^\[pytest\]/],
  ["setup.cfg", /^\[tool:pytest\]/],
];

/** pytest, for a project that has settings for it, names it in `pyproject.toml`, or has tests in `tests/`. */
export async function pytestGates(look: Look): Promise<Found> {
  const texts = await Promise.all(SETTINGS.map(([file]) => look.text(file)));
  const settings = SETTINGS.flatMap(([, section], index) => sectionsOf(texts[index] ?? "", section));
  const isNamed = /\bpytest\b/.test(texts[2] ?? "") || texts[0] !== undefined || texts[1] !== undefined;
  if (!isNamed && settings.length === 0 && !(await hasTests(look))) return { gates: [] };
  const locked = await Promise.all(RUNNERS.map(([file]) => look.has(file)));
  const run = RUNNERS.find((_, index) => locked[index])?.[1] ?? "python3 -m pytest";
  return { gates: [{ id: "pytest", run, script: settings.length > 0 ? settings.join("\n") : undefined }] };
}

const hasTests = async (look: Look): Promise<boolean> =>
  (await look.names("tests")).some((name) => /^test_.*\.py$|_test\.py$|^conftest\.py$/.test(name));

/** The parts of an INI or TOML file that begin with such a line. */
function sectionsOf(text: string, begin: RegExp): string[] {
  const isWhole = begin.source === "^";
  if (isWhole) return text.trim() === "" ? [] : [text.trim()];
  return text
    .split(/^(?=\[)/m)
    .filter((section) => begin.test(section))
    .map((section) => section.trim());
}
