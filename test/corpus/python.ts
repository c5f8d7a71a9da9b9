import { actions, CI, type Repository } from "./repository.ts";

/** Python. */
export const python: readonly Repository[] = [
  {
    name: "flask: uv, with settings by which ruff fixes",
    files: {
      "pyproject.toml":
        '[project]\nname = "Flask"\n[dependency-groups]\ndev = ["ruff", "tox", "tox-uv"]\ntests = ["pytest", "asgiref"]\ntyping = ["mypy", "pyright", "pytest"]\n[tool.uv]\ndefault-groups = ["dev", "tests", "typing"]\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n[tool.mypy]\nfiles = ["src", "tests/type_check"]\nstrict = true\n[tool.pyright]\ninclude = ["src"]\n[tool.ruff]\nsrc = ["src"]\nfix = true\n[tool.tox]\nenv_list = ["py3.13", "style", "typing"]\n',
      "uv.lock": "",
      "src/flask/app.py": "",
      ".github/workflows/tests.yaml": actions({
        tests: ["uv run --locked tox run -e ${{ matrix.tox }}"],
        typing: ["uv run --locked tox run -e typing"],
      }),
    },
    expected: {
      gates: ["uv run ruff check --no-fix", "uv run mypy", "uv run pytest"],
      setup: "uv sync --locked",
      uncovered: ["uv run --locked tox run -e typing"],
      programs: ["uv"],
    },
  },
  {
    name: "httpx: scripts of its own, requirements without a lock file",
    files: {
      "pyproject.toml":
        '[project]\nname = "httpx"\n[tool.ruff.lint]\nselect = ["E", "F"]\n[tool.mypy]\nignore_missing_imports = true\nstrict = true\n[tool.pytest.ini_options]\naddopts = "-rxXs"\n',
      "requirements.txt": "-e .[cli]\n\n# Tests & Linting\nmypy==1.17.1\npytest==8.4.1\nruff==0.12.11\n",
      ".gitignore": "*.pyc\n__pycache__\nvenv*\nvenv/\n",
      ".github/workflows/test-suite.yml": actions({
        tests: ["scripts/install", "scripts/check", "scripts/build", "scripts/test", "scripts/coverage"],
      }),
    },
    expected: {
      gates: [
        'PATH="$PWD/.venv/bin:$PWD/venv/bin:$PATH" python3 -m ruff check',
        'PATH="$PWD/.venv/bin:$PWD/venv/bin:$PATH" python3 -m pytest',
      ],
      leftOut: ["mypy: nothing says how mypy is run here"],
      uncovered: ["scripts/check", "scripts/test"],
      programs: [],
    },
  },
  {
    name: "pydantic-settings: make runs everything by uv",
    files: {
      "pyproject.toml":
        '[project]\nname = "pydantic-settings"\n[dependency-groups]\nlinting = ["ruff", "mypy"]\ntesting = ["coverage[toml]", "pytest"]\n[tool.ruff]\nline-length = 120\n[tool.mypy]\nplugins = ["pydantic.mypy"]\n[tool.pytest.ini_options]\ntestpaths = "tests"\n',
      "uv.lock": "",
      Makefile:
        ".DEFAULT_GOAL := all\nsources = pydantic_settings tests\n\n.PHONY: install\ninstall:\n\tuv sync --all-extras --all-groups\n\n.PHONY: format\nformat:\n\tuv run ruff check --fix $(sources)\n\tuv run ruff format $(sources)\n\n.PHONY: lint\nlint:\n\tuv run ruff check $(sources)\n\tuv run ruff format --check $(sources)\n\n.PHONY: mypy\nmypy:\n\tuv run mypy pydantic_settings\n\n.PHONY: test\ntest:\n\tuv run coverage run -m pytest --durations=10\n\n.PHONY: all\nall: lint mypy test\n",
      [CI]: actions({
        lint: ["uv sync --group linting", "make lint", "make mypy"],
        test: ["uv sync --group testing", "make test"],
      }),
    },
    expected: {
      gates: ["CI=1 make lint", "CI=1 make mypy", "CI=1 make test"],
      setup: "uv sync --locked --group testing",
      programs: ["uv", "make"],
    },
  },
  {
    name: "requests: make beside tox, and both run pytest",
    files: {
      Makefile:
        ".PHONY: docs\ninit:\n\tpython -m pip install -r requirements-dev.txt\ntest:\n\tpython -m pytest tests\nci:\n\tpython -m pytest tests --junitxml=report.xml\n",
      "tox.ini":
        "[tox]\nenvlist = py{310,311}-{default, extra}\n\n[testenv]\ndeps = -rrequirements-dev.txt\ncommands =\n    pytest {posargs:tests}\n\n[testenv:default]\n",
      "pyproject.toml": '[project]\nname = "requests"\n[tool.pytest.ini_options]\ntestpaths = "tests"\n',
      "requirements-dev.txt": "pytest>=2.8.0\n",
      "tests/test_requests.py": "",
      ".github/workflows/run-tests.yml": actions({ build: ["make", "make ci"] }),
    },
    expected: { gates: ["CI=1 make test"], programs: ["make"] },
  },
  {
    name: "ruff: Rust, and pytest for one part in another folder",
    files: {
      "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
      "Cargo.lock": "",
      "pyproject.toml": '[project]\nname = "ruff"\n[dependency-groups]\nlsp-test = ["pytest>=8"]\n',
      "crates/ruff/Cargo.toml": '[package]\nname = "ruff"\n',
      [CI]: actions({
        test: ["cargo --version", "cargo test --workspace --all-features"],
        lsp: { steps: [{ run: "pytest", "working-directory": "ruff-lsp" }, "ruff version"] },
      }),
    },
    expected: {
      gates: ["cargo test --workspace --all-features"],
      setup: "cargo fetch",
      uncovered: ["cd ruff-lsp && pytest"],
      programs: ["cargo"],
    },
  },
  {
    name: "black: tox with the Python that is there",
    files: {
      "pyproject.toml":
        '[project]\nname = "black"\n[tool.black]\nline-length = 88\n[tool.pytest.ini_options]\naddopts = "--strict-config"\n',
      "tox.ini":
        "[tox]\nenvlist = {,ci-}py{39,310},fuzz\n\n[testenv]\ncommands =\n    pytest tests --run-optional no_jupyter\n",
      "test_requirements.txt": "pytest >= 7\n",
      ".github/workflows/test.yml": actions({
        main: [
          "python -m pip install --upgrade tox",
          "tox -e ci-py$(echo ${{ matrix.python-version }} | tr -d '.') -- -v --color=yes",
        ],
      }),
      ".github/workflows/lint.yml": actions({ build: { steps: [{ uses: "pre-commit/action@v3.0.1" }] } }),
    },
    expected: { gates: ["tox -e py"], uncovered: ["pre-commit run --all-files"], programs: ["tox"] },
  },
  {
    name: "a project of poetry, with black and mypy as CI types them",
    files: {
      "pyproject.toml":
        '[tool.poetry]\nname = "app"\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\nmypy = "^1"\nblack = "^24"\n[tool.mypy]\nstrict = true\n',
      "poetry.lock": "",
      "tests/test_app.py": "",
      [CI]: actions({
        test: {
          steps: ["poetry install", "poetry run black --check .", "poetry run mypy app", "poetry run pytest"],
          services: { postgres: { image: "postgres:16" } },
        },
      }),
    },
    expected: {
      gates: ["poetry run black --check .", "poetry run mypy app", "poetry run pytest"],
      setup: "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install",
      services: ["postgres"],
      programs: ["poetry"],
    },
  },
  {
    name: "a project of hatch with a script for its tests",
    files: {
      "pyproject.toml":
        '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "lib"\n[tool.hatch.envs.default]\ndependencies = ["pytest"]\n[tool.hatch.envs.default.scripts]\ntest = "pytest {args:tests}"\n',
      "tests/test_lib.py": "",
      [CI]: actions({ test: ["pipx install hatch", "hatch run test"] }),
    },
    expected: { gates: ["hatch run test"], programs: ["hatch"] },
  },
  {
    name: "nox: the session with the tests",
    files: {
      "noxfile.py":
        'import nox\n\n@nox.session(python=["3.9", "3.12"])\ndef tests(session):\n    session.install("-e", ".")\n    session.run("pytest")\n\n@nox.session\ndef lint(session):\n    session.run("pre-commit", "run", "--all-files")\n',
      "pyproject.toml": '[project]\nname = "packaging"\n[tool.mypy]\nstrict = true\nfiles = ["src"]\n',
      "tests/test_a.py": "",
      [CI]: actions({
        lint: ["pipx run nox --error-on-missing-interpreters -s lint"],
        test: ["nox --error-on-missing-interpreters -s tests-${{ matrix.python }}"],
      }),
    },
    expected: {
      gates: ["nox -s tests"],
      leftOut: ["mypy: nothing says how mypy is run here"],
      programs: ["nox"],
    },
  },
  {
    name: "a workspace of uv, ruff and pyright in CI",
    files: {
      "pyproject.toml":
        '[project]\nname = "mono"\n[dependency-groups]\ndev = ["pytest", "ruff", "pyright"]\n[tool.uv.workspace]\nmembers = ["packages/*"]\n[tool.ruff]\nline-length = 100\n[tool.pyright]\n',
      "uv.lock": "",
      "packages/a/pyproject.toml": '[project]\nname = "a"\n',
      "tests/test_a.py": "",
      [CI]: actions({
        check: [
          "uv sync --all-packages",
          "uv run ruff check .",
          "uv run ruff format --check .",
          "uv run pyright",
          "uv run pytest",
        ],
      }),
    },
    expected: {
      gates: ["uv run ruff check .", "uv run ruff format --check .", "uv run pyright", "uv run pytest"],
      setup: "uv sync --locked --all-packages",
      programs: ["uv"],
    },
  },
];
