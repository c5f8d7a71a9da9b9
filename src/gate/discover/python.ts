import type { PinnedGate } from "../../domain/gate.ts";
import { matches } from "../../domain/glob.ts";
import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { plainPartsOf, valueAt } from "../resolve/plain-parts.ts";
import { type Found, type Look, NOTHING, type Project, type Source } from "../source.ts";
import { isInTopOfCi } from "./ci-command.ts";
import { type Python, toolGates } from "./python-tools.ts";

/** Lock files by what starts a program in their environment. */
const STARTERS: readonly (readonly [file: string, start: string])[] = [
  ["uv.lock", "uv run"],
  ["poetry.lock", "poetry run"],
  ["pdm.lock", "pdm run"],
  ["Pipfile.lock", "pipenv run"],
];

/** Where pytest's settings may be, and which part of the file they are. */
const SETTINGS: readonly (readonly [file: string, section: RegExp])[] = [
  ["pytest.ini", /^/],
  [".pytest.ini", /^/],
  ["pyproject.toml", /^\[tool\.pytest\b/],
  ["tox.ini", /^\[pytest\]/],
  ["setup.cfg", /^\[tool:pytest\]/],
];

/** Tests by the project's own runner; ruff, mypy and pyright where the project has settings for them. */
export const python: Source = async (project) => {
  const { look } = project;
  const texts = await Promise.all(SETTINGS.map(([file]) => look.text(file)));
  const settings = SETTINGS.flatMap(([, section], index) => sectionsOf(texts[index] ?? "", section));
  const about = await readPython(project, texts[2]);
  const tests = await testGates(about, { texts, settings });
  const isPython = tests.gates.length > 0 || texts[2] !== undefined || (await look.has("setup.py"));
  if (!isPython) return NOTHING;
  const tools = await toolGates(about);
  return { gates: [...tools.gates, ...tests.gates], leftOut: tools.leftOut };
};

async function readPython(project: Project, text: string | undefined): Promise<Python> {
  const { look, names } = project;
  const pyproject = (text === undefined ? undefined : plainPartsOf("pyproject.toml", text)) ?? {};
  const lists = names.filter((name) =>
    /^(?:dev-|test-)?requirements\S*\.(?:txt|in)$|^(?:Pipfile|setup\.(?:py|cfg))$/.test(name),
  );
  const folder = (await look.names("requirements"))
    .filter((name) => /\.(?:txt|in)$/.test(name))
    .map((name) => `requirements/${name}`);
  const more = await Promise.all([...lists, ...folder].map((name) => look.text(name)));
  const starter = STARTERS.find(([file]) => names.includes(file))?.[1];
  const ignored = /^\/?\.?venv\*?\/?\s*$/m.test((await look.text(".gitignore")) ?? "");
  return {
    project,
    pyproject,
    named: [dependenciesOf(pyproject), ...more].join("\n"),
    start: (program) => (starter === undefined ? inFolder(program, ignored) : `${starter} ${program}`),
    isLocked: starter !== undefined,
  };
}

/** A virtual environment in the project is not in a commit, so whether it is there must not matter here. */
const inFolder = (program: string, ignored: boolean): string =>
  `${ignored ? 'PATH="$PWD/.venv/bin:$PWD/venv/bin:$PATH" ' : ""}python3 -m ${program}`;

const dependenciesOf = (pyproject: Mapping): string =>
  JSON.stringify([
    valueAt(pyproject, "project.dependencies"),
    valueAt(pyproject, "project.optional-dependencies"),
    pyproject["dependency-groups"],
    valueAt(pyproject, "tool.poetry"),
    valueAt(pyproject, "tool.pdm"),
    valueAt(pyproject, "tool.uv.dev-dependencies"),
    valueAt(pyproject, "tool.hatch.envs"),
  ]) ?? "";

interface Settings {
  readonly texts: readonly (string | undefined)[];
  readonly settings: readonly string[];
}

/** The runner of sessions that a project has set up, or pytest itself. */
async function testGates(about: Python, { texts, settings }: Settings): Promise<Found> {
  const { project, pyproject, start, isLocked } = about;
  const { look } = project;
  const script = settings.length > 0 ? settings.join("\n") : undefined;
  const isNamed = /\bpytest\b/.test(texts[2] ?? "") || texts[0] !== undefined || texts[1] !== undefined;
  // Beside another language, it may be named for one part of the repository.
  const isOther = project.names.some((name) => /^(?:Cargo\.toml|go\.mod|package\.json|pom\.xml)$/.test(name));
  const isUsed =
    settings.length > 0 ||
    (await hasTests(look)) ||
    isInTopOfCi(project, /^pytest\b/) ||
    (await uvMembersTest(look, pyproject));
  const hasPytest = isUsed || (isNamed && !isOther);
  const session = isLocked ? undefined : await sessionGate(look, pyproject);
  if (session !== undefined) return { gates: [session] };
  if (!hasPytest) return NOTHING;
  const at = SETTINGS.map(([file]) => file).find(
    (_, index) => sectionsOf(texts[index] ?? "", SETTINGS[index]![1]).length > 0,
  );
  return { gates: [{ id: "pytest", run: start("pytest"), script, at: at ?? (isNamed ? "pyproject.toml" : "tests/") }] };
}

/** nox, tox and hatch make their own environments, so that nothing else has to be installed. */
async function sessionGate(look: Look, pyproject: Mapping): Promise<PinnedGate | undefined> {
  const noxfile = await look.text("noxfile.py");
  const session = /^def (tests?|unit|test_suite|unit_tests)\(/m.exec(noxfile ?? "")?.[1];
  if (session !== undefined) return { id: "nox", run: `nox -s ${session}`, script: undefined, at: "noxfile.py" };
  const hatch = valueAt(pyproject, "tool.hatch.envs");
  const scripts = valueAt(hatch, "default.scripts") ?? valueAt(hatch, "test.scripts");
  const name = isMapping(scripts) ? ["test", "tests", "run"].find((one) => one in scripts) : undefined;
  if (name !== undefined) {
    const env = valueAt(hatch, "default.scripts") === undefined ? "test:" : "";
    return { id: "hatch", run: `hatch run ${env}${name}`, script: undefined, at: "pyproject.toml (tool.hatch)" };
  }
  if (isMapping(hatch) && isMapping(hatch["hatch-test"])) {
    return { id: "hatch", run: "hatch test", script: undefined, at: "pyproject.toml (tool.hatch)" };
  }
  const tox = await look.text("tox.ini");
  // `py` is the environment with the Python that is there.
  if (/^\[testenv/m.test(tox ?? "")) return { id: "tox", run: "tox -e py", script: undefined, at: "tox.ini" };
  return undefined;
}

/** What tox runs, for following it. */
export async function toxTasks(look: Look): Promise<ReadonlyMap<string, string>> {
  const section = sectionsOf((await look.text("tox.ini")) ?? "", /^\[testenv\]/)[0] ?? "";
  const text = /^commands\s*=[ \t]*((?:.*\n?)(?:[ \t]+.*\n?)*)/m.exec(section)?.[1] ?? "";
  const plain = text.replaceAll(/\{posargs:?([^{}]*)\}/g, "$1").replaceAll(/\\\n/g, " ");
  const commands = plain.split("\n").map((line) => line.trim());
  return new Map([["tox -e py", commands.filter((line) => line !== "").join("\n")]]);
}

const hasTests = async (look: Look, folder = "tests"): Promise<boolean> =>
  (await look.names(folder)).some((name) => /^test_.*\.py$|_test\.py$|^conftest\.py$/.test(name));

/** Whether a package of a workspace of uv's has tests. pytest finds them from the top, and set-up installs all packages. */
async function uvMembersTest(look: Look, pyproject: Mapping): Promise<boolean> {
  const members = valueAt(pyproject, "tool.uv.workspace.members");
  const patterns = (Array.isArray(members) ? members : []).filter((each) => typeof each === "string");
  const folders = (await Promise.all(patterns.map(async (pattern) => await foldersLike(look, pattern)))).flat();
  const tests = folders.map(
    async (folder) =>
      (await hasTests(look, `${folder}/tests`)) ||
      /^\[tool\.pytest\b/m.test((await look.text(`${folder}/pyproject.toml`)) ?? ""),
  );
  return (await Promise.all(tests)).includes(true);
}

async function foldersLike(look: Look, pattern: string): Promise<string[]> {
  let folders = [""];
  for (const step of pattern.split("/").filter((each) => each !== "" && each !== ".")) {
    const below = folders.map(async (folder) => {
      const names = step.includes("*") ? (await look.names(folder)).filter((name) => matches(step, name)) : [step];
      return names.map((name) => (folder === "" ? name : `${folder}/${name}`));
    });
    folders = (await Promise.all(below)).flat();
  }
  return folders;
}

/** The parts of an INI or TOML file that begin with such a line. */
function sectionsOf(text: string, begin: RegExp): string[] {
  const isWhole = begin.source === "^";
  if (isWhole) return text.trim() === "" ? [] : [text.trim()];
  return text
    .split(/^(?=\[)/m)
    .filter((section) => begin.test(section))
    .map((section) => section.trim());
}
