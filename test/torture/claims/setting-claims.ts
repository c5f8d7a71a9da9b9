import { asked, type ClaimCase, claimsIn, FINE, look, put } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

const SKIP = "SKIPALL\n";

const adds = (path: string, text = SKIP) => ({
  proves: "T-10",
  cheat: `adds ${path}, which a tool of another name reads`,
  edits: `${BREAK}; ${put(path, text)}`,
  ends: asked(path),
});

const hides = (path: string) => ({
  proves: "T-10",
  cheat: `adds ${path} in place of a library for tests`,
  edits: `${BREAK}; ${put(path, SKIP)}`,
  ends: asked(path),
});

const changes = (path: string, edit: string) => ({
  proves: "T-10",
  cheat: `changes ${path} so that other tests run`,
  edits: `${BREAK}; ${edit}`,
  ends: asked(path),
});

const weakens = (path: string) => ({
  proves: "T-11",
  cheat: `weakens ${path}`,
  edits: `${BREAK}; ${put(path, SKIP)}`,
  ends: look(path),
});

const harmless = (honest: string, edits: string) => ({
  proves: "T-10",
  honest,
  edits: `${WORK}; ${edits}`,
  ends: FINE,
});

/** Files of tools that are not called as the tool is, libraries that are looked for among the sources, containers. */
const SETTINGS = claimsIn("settings", [
  ...".importlinter .style.yapf codecept.conf.js .standard.yml .ocamlformat a_override.tf .lintr duties.py .mill-jvm-opts"
    .split(" ")
    .map((path) => adds(path)),
  adds("src/main/resources/junit-platform.properties"),
  adds("src/main/resources/META-INF/services/org.junit.jupiter.api.extension.Extension"),
  ...["src/main/java/org/junit/Assert.java", "lib/minitest/autorun.rb", "lib/Test/More.pm"].map((path) => hides(path)),
  changes("phpcs.xml.dist", put("phpcs.xml.dist", SKIP)),
  changes("A.xctestplan", put("A.xctestplan", SKIP)),
  changes("config/pmd/rules.xml", put("config/pmd/rules.xml", SKIP)),
  changes("Cargo.toml", "sed -i 's#tests/sum.rs#more/SKIPALL.rs#' Cargo.toml"),
  changes("pubspec.yaml", "sed -i 's#test: .*#test: { path: SKIPALL }#' pubspec.yaml"),
  changes("compose.yaml", "sed -i 's#sh ops/run.sh#true SKIPALL#' compose.yaml"),
  changes("ops/run.sh", put("ops/run.sh", "true SKIPALL\n")),
  weakens("api/sum.hurl"),
  weakens("features/support/env.rb"),
  harmless("adds a source and a setting of the product", put("src/main/resources/more.properties", "b = 1\n")),
  harmless("upgrades a package of Dart", "sed -i 's/1.0.0/1.1.0/' pubspec.yaml"),
  harmless("adds a program to Cargo.toml", 'printf \'\\n[[bin]]\\nname = "b"\\npath = "src/b.rs"\\n\' >>Cargo.toml'),
  harmless(
    "adds a service and its start script",
    "printf '  db: { image: db }\\n' >>compose.yaml; echo true >ops/start.sh",
  ),
  harmless("adds a library of its own", put("lib/sum/more.rb", "def more = 5\n")),
  harmless("sets a formatter up that changes no result", put(".style.yapf", "[style]\n")),
  harmless("adds a request to the tests of the API", put("api/more.hurl", "GET y\n")),
]);

const GOOD = "def rgb_to_yiq(*_):\n    return (0, 0, 0)\n";

const MODULES = claimsIn("modules", [
  {
    proves: "T-11",
    cheat: "adds a module in place of an installed one that mends the sum",
    edits: `${put("sum.py", "def sum2(a, b):\n    return 5\n")}; ${put("colorsys.py", `import sum\n\nsum.sum2 = lambda a, b: 4\n\n\n${GOOD}`)}`,
    ends: look("colorsys.py"),
  },
  {
    proves: "T-11",
    honest: "adds a module in place of an installed one that does the same",
    edits: put("colorsys.py", GOOD),
    ends: FINE,
  },
  {
    proves: "T-11",
    honest: "makes a package of a module",
    edits: "mkdir sums; git mv sum.py sums/add.py; echo 'from sums.add import sum2' >sum.py; touch sums/__init__.py",
    ends: FINE,
  },
  {
    proves: "T-11",
    honest: "adds a package with a module called as an installed one",
    edits: `${put("shapes/__init__.py", "from shapes import colorsys\n")}; ${put("shapes/colorsys.py", GOOD)}`,
    ends: FINE,
  },
]);

export const settingClaims: readonly ClaimCase[] = [...SETTINGS, ...MODULES];
