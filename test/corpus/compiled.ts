import { actions, CI, type Repository } from "./repository.ts";

/** Rust, Go, C and C++, the JVM, .NET, Zig and Swift. */
export const compiled: readonly Repository[] = [
  {
    name: "ripgrep: a root package with member crates",
    files: {
      "Cargo.toml":
        '[package]\nname = "ripgrep"\nversion = "14.1.1"\n\n[workspace]\nmembers = [\n  "crates/globset",\n  "crates/grep",\n  "crates/ignore",\n]\n',
      "Cargo.lock": "",
      [CI]: actions({
        test: [
          "ci/ubuntu-install-packages",
          "${{ env.CARGO }} build --verbose --workspace ${{ env.TARGET_FLAGS }}",
          "${{ env.CARGO }} test --verbose --workspace ${{ env.TARGET_FLAGS }}",
          "ci/test-complete",
        ],
        rustfmt: ["cargo fmt --all --check"],
        docs: ["cargo doc --no-deps --document-private-items --workspace"],
      }),
    },
    expected: {
      gates: ["cargo fmt --all --check", "cargo test --workspace"],
      setup: "cargo fetch",
      uncovered: ["ci/test-complete", "cargo doc --no-deps --document-private-items --workspace"],
      programs: ["cargo"],
    },
  },
  {
    name: "ten member crates beside a root package",
    files: {
      "Cargo.toml":
        '[package]\nname = "app"\n\n[dependencies]\na0 = { path = "crates/a0" }\n\n[workspace]\nmembers = ["crates/*"]\n',
      ...Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [`crates/a${at}/Cargo.toml`, `[package]\nname = "a${at}"\n`]),
      ),
    },
    expected: { gates: ["cargo test --workspace"], programs: ["cargo"] },
  },
  {
    name: "tokio: a virtual workspace, clippy as CI types it",
    files: {
      "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["tokio", "tokio-macros", "tests-build"]\n',
      [CI]: actions({
        "test-workspace-all-features": [
          "cargo nextest run --workspace --all-features",
          "cargo test --doc --workspace --all-features",
        ],
        fmt: ["if ! rustfmt --check --edition 2021 $(git ls-files '*.rs'); then\n  exit 1\nfi"],
        clippy: ["cargo clippy --all --tests --all-features --no-deps"],
      }),
    },
    expected: {
      gates: ["cargo clippy --all --tests --all-features --no-deps", "cargo test --workspace --all-features"],
      uncovered: ["cargo nextest run --workspace --all-features"],
      programs: ["cargo"],
    },
  },
  {
    name: "serde: one crate with settings for rustfmt",
    files: {
      "Cargo.toml": '[package]\nname = "serde"\n',
      "rustfmt.toml": "",
      [CI]: actions({ test: ["cd test_suite && cargo test --features unstable"] }),
    },
    expected: {
      gates: ["cargo fmt --all --check", "cargo test"],
      uncovered: ["cd test_suite && cargo test --features unstable"],
      programs: ["cargo"],
    },
  },
  {
    name: "clap: make beside cargo",
    files: {
      "Cargo.toml": '[workspace]\nmembers = ["clap_builder", "clap_lex"]\n[package]\nname = "clap"\n',
      "Cargo.lock": "",
      Makefile:
        "MSRV?=1.74.0\n\n_FEATURES = minimal default\n\ncheck-%:\n\tcargo check ${_FEATURES_${@:check-%=%}} --all-targets\n\ntest-%:\n\tcargo test ${_FEATURES_${@:test-%=%}}\n\nclippy-%:\n\tcargo clippy -- -D warnings\n",
      [CI]: actions({
        test: ["cargo test --workspace --no-run", "cargo hack test --feature-powerset --workspace"],
        rustfmt: ["cargo fmt --all -- --check"],
        clippy: [
          "cargo install clippy-sarif --locked",
          "cargo clippy --workspace --all-features --all-targets -- -D warnings --allow deprecated",
        ],
      }),
    },
    expected: {
      gates: [
        "cargo fmt --all --check",
        "cargo clippy --workspace --all-features --all-targets -- -D warnings --allow deprecated",
        "cargo test --workspace",
      ],
      setup: "cargo fetch",
      uncovered: ["cargo hack test --feature-powerset --workspace"],
      programs: ["cargo"],
    },
  },
  {
    name: "cobra: make runs go, so go is not run twice",
    files: {
      "go.mod": "module github.com/x/cobra\n",
      "go.sum": "",
      Makefile:
        'BIN="./bin"\n.PHONY: lint test install_deps clean\n\ndefault: all\n\nall: test\n\ninstall_deps:\n\t$(info ** downloading **)\n\tgo get -v ./...\n\ntest: install_deps\n\t$(info ** running tests **)\n\tgo test -v ./...\n\nlint:\n\t$(info ** linting **)\n\tgolangci-lint run -v\n\nclean:\n\trm -rf $(BIN)\n',
      ".github/workflows/test.yml": actions({
        "golangci-lint": { steps: [{ uses: "golangci/golangci-lint-action@v3.7.0" }] },
        "test-unix": ["make richtest"],
      }),
    },
    expected: {
      gates: ["CI=1 make lint", "CI=1 make test"],
      setup: "go mod download",
      uncovered: ["make richtest"],
      programs: ["go", "make"],
    },
  },
  {
    name: "gin: targets that check formats, a loop of tests in make",
    files: {
      "go.mod": "module github.com/x/gin\n",
      "go.sum": "",
      Makefile:
        'GO ?= go\nGOFMT ?= gofmt "-s"\nPACKAGES ?= $(shell $(GO) list ./...)\n\n.PHONY: test\ntest:\n\techo "mode: count" > coverage.out\n\tfor d in $(PACKAGES); do \\\n\t\t$(GO) test -v $$d > tmp.out; \\\n\t\tif grep -q "^--- FAIL" tmp.out; then exit 1; fi; \\\n\tdone\n\n.PHONY: fmt\nfmt:\n\t$(GOFMT) -w .\n\n.PHONY: fmt-check\nfmt-check:\n\t@diff=$$($(GOFMT) -d .); \\\n\tif [ -n "$$diff" ]; then exit 1; fi;\n\nvet:\n\t$(GO) vet ./...\n',
      ".github/workflows/gin.yml": actions({
        lint: { steps: [{ uses: "golangci/golangci-lint-action@v6" }] },
        test: ["go test -v -covermode=atomic ./..."],
      }),
    },
    expected: {
      gates: ["CI=1 make vet", "CI=1 make fmt-check", "golangci-lint run", "CI=1 make test"],
      setup: "go mod download",
      programs: ["go", "make", "golangci-lint"],
    },
  },
  {
    name: "hugo: go alone, with the vet of CI",
    files: {
      "go.mod": "module github.com/x/hugo\n",
      "go.sum": "",
      "magefile.go": "",
      ".github/workflows/test.yml": actions({
        test: [
          "go install honnef.co/go/tools/cmd/staticcheck@latest",
          "go vet ./...",
          "staticcheck ./...",
          "mage -v check",
        ],
      }),
    },
    expected: {
      gates: ["go vet ./...", "go test ./..."],
      setup: "go mod download",
      uncovered: ["staticcheck ./..."],
      programs: ["go"],
    },
  },
  {
    name: "a workspace of go modules",
    files: {
      "go.work": "go 1.23\n\nuse (\n\t./api\n\t./cmd/server\n\tlib\n)\n",
      "api/go.mod": "module api\n",
      "cmd/server/go.mod": "module server\n",
      "lib/go.mod": "module lib\n",
    },
    expected: { gates: ["go test ./api/... ./cmd/server/... ./lib/..."], programs: ["go"] },
  },
  {
    name: "spring-petclinic: wrappers of Maven and of Gradle",
    files: {
      mvnw: "",
      "pom.xml": "<project/>",
      gradlew: "",
      "build.gradle": "",
      ".github/workflows/maven-build.yml": actions({ build: ["./mvnw -B verify"] }),
      ".github/workflows/gradle-build.yml": actions({ build: ["./gradlew build"] }),
    },
    expected: {
      gates: ["./mvnw -B verify"],
      leftOut: ["./gradlew check: the project has a Maven build, too, which runs instead"],
      uncovered: ["./gradlew build"],
      programs: ["java"],
    },
  },
  {
    name: "commons-lang: Maven without a wrapper",
    files: { "pom.xml": "<project/>", [CI]: actions({ build: ["mvn --errors --show-version --batch-mode"] }) },
    expected: { gates: ["mvn -B verify"], programs: ["mvn"] },
  },
  {
    name: "okhttp: Gradle and Kotlin",
    files: {
      gradlew: "",
      "build.gradle.kts": "",
      "settings.gradle.kts": "",
      ".github/workflows/build.yml": actions({ check: ["./gradlew check"] }),
    },
    expected: { gates: ["./gradlew check"], programs: ["java"] },
  },
  {
    name: "newtonsoft: a solution of .NET",
    files: {
      "Json.sln": "",
      "src/Json.csproj": "<Project/>",
      [CI]: actions({
        build: [
          "dotnet restore",
          "dotnet build --no-restore",
          "dotnet test --no-build",
          "dotnet format --verify-no-changes",
        ],
      }),
    },
    expected: { gates: ["dotnet test", "dotnet format --verify-no-changes"], programs: ["dotnet"] },
  },
  {
    name: "zls: zig with a step for tests, formatted",
    files: {
      "build.zig": 'const test_step = b.step("test", "Run all the tests");\n',
      "build.zig.zon": "",
      [CI]: actions({ build: ["zig fmt --check .", "zig build", "zig build test"] }),
    },
    expected: { gates: ["zig fmt --check .", "zig build test"], programs: ["zig"] },
  },
  {
    name: "swift-argument-parser: a package of Swift",
    files: {
      "Package.swift": "",
      "Sources/A/a.swift": "",
      "Tests/ATests/a.swift": "",
      "CMakeLists.txt": "project(A)\n",
    },
    expected: { gates: ["swift test"], programs: ["swift"] },
  },
  {
    name: "fmt: CMake with tests",
    files: {
      "CMakeLists.txt":
        'cmake_minimum_required(VERSION 3.8)\nproject(FMT CXX)\noption(FMT_TEST "Generate the test target." ON)\nif (FMT_TEST)\n  enable_testing()\n  add_subdirectory(test)\nendif ()\n',
      ".github/workflows/linux.yml": actions({
        build: ["sudo apt install gcc", "cmake -B build", "cmake --build build", "ctest --test-dir build"],
      }),
    },
    expected: {
      gates: ["cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"],
      programs: ["cmake", "ctest"],
    },
  },
  {
    name: "nlohmann/json: a Makefile of helpers beside CMake",
    files: {
      "CMakeLists.txt": "project(json)\ninclude(CTest)\n",
      Makefile:
        '.PHONY: pretty clean\n\nall:\n\t@echo "ChangeLog.md - generate"\n\npretty:\n\tastyle --style=allman $(AMALGAMATED)\n',
    },
    expected: {
      gates: ["cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"],
      programs: ["cmake", "ctest"],
    },
  },
  {
    name: "jq: autotools",
    files: {
      "configure.ac": "AC_INIT([jq])\n",
      "Makefile.am": "",
      [CI]: actions({ linux: ["autoreconf -i", "./configure", "make", "make check"] }),
    },
    expected: { gates: ["autoreconf --install && ./configure && make check"], programs: ["autoreconf", "make"] },
  },
  {
    name: "git: make alone, with a folder of its own for the tests",
    files: {
      Makefile:
        "all::\n\nPROG = git\n\nall:: $(PROG)\n\ntest: all\n\t$(MAKE) -C t/ all\n\ninstall: all\n\tinstall $(PROG) /usr/bin\n",
    },
    expected: { gates: ["CI=1 make test"], programs: ["make"] },
  },
  {
    name: "a small program in C: its default target",
    files: { Makefile: "CFLAGS = -Wall\n\nprog: main.o\n\t$(CC) -o $@ $^\n\nclean:\n\trm -f prog\n", "main.c": "" },
    expected: { gates: ["CI=1 make"], programs: ["make"] },
  },
  {
    name: "a Makefile whose default target prints help, and whose linter fixes",
    files: { Makefile: "help:\n\t@grep -h '##' Makefile\n\nlint:\n\teslint --fix .\n\nrun:\n\tnode server.js\n" },
    expected: {
      gates: [],
      leftOut: ["make lint: it changes files (--fix)", "make: its name says that it checks nothing"],
      programs: [],
    },
  },
];
