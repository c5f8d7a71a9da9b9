import { readShell } from "../resolve/shell.ts";

/** Programs that projects expect on the PATH, and how to get them. What an installation brings is not among them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  node: "Install Node: https://nodejs.org/en/download",
  npm: "Install Node, which brings npm: https://nodejs.org/en/download",
  npx: "Install Node, which brings npx: https://nodejs.org/en/download",
  pnpm: "Run npm install --global pnpm, or corepack enable pnpm",
  yarn: "Run npm install --global yarn, or corepack enable yarn",
  bun: "Run npm install --global bun",
  deno: "Run npm install --global deno",
  uv: "Run pipx install uv: https://docs.astral.sh/uv/getting-started/installation",
  poetry: "Run pipx install poetry",
  pdm: "Run pipx install pdm",
  pipenv: "Run pipx install pipenv",
  hatch: "Run pipx install hatch",
  tox: "Run pipx install tox",
  nox: "Run pipx install nox",
  python3: "Install Python: https://www.python.org/downloads",
  cargo: "Install Rust: https://rustup.rs",
  go: "Install Go: https://go.dev/doc/install",
  "golangci-lint": "Install it: https://golangci-lint.run/welcome/install",
  make: "Install make: apt-get install make, or xcode-select --install",
  mvn: "Install Maven: apt-get install maven, or brew install maven",
  gradle: "Install Gradle: https://gradle.org/install",
  java: "Install a JDK: apt-get install default-jdk, or brew install openjdk",
  mix: "Install Elixir: https://elixir-lang.org/install.html",
  composer: "Install Composer: https://getcomposer.org/download",
  php: "Install PHP: apt-get install php-cli, or brew install php",
  bundle: "Install Ruby, then run gem install bundler",
  ruby: "Install Ruby: https://www.ruby-lang.org/en/downloads",
  dotnet: "Install .NET: https://dotnet.microsoft.com/download",
  zig: "Install Zig: https://ziglang.org/download",
  swift: "Install Swift: https://www.swift.org/install",
  cmake: "Install CMake: apt-get install cmake, or brew install cmake",
  ctest: "Install CMake, which brings ctest: apt-get install cmake, or brew install cmake",
  autoreconf: "Install autoconf and automake: apt-get install autoconf automake libtool",
  just: "Install just: https://just.systems/man/en/installation.html",
};

/** What a file of the project needs to be started. */
const BEHIND: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:mvnw|gradlew)$/, "java"],
  [/^vendor\/bin\//, "php"],
  [/^bin\/rails$/, "ruby"],
];

/** The programs that commands start by themselves, as far as we know how to get them. */
export function neededPrograms(commands: readonly string[]): string[] {
  const names = commands.flatMap((command) => {
    // A command with a search path of its own finds programs elsewhere.
    if (/\bPATH=/.test(command)) return [];
    return readShell(command, "").flatMap(
      ({ words: [path = ""] }) => BEHIND.find(([file]) => file.test(path))?.[1] ?? path,
    );
  });
  return [...new Set(names)].filter((name) => Object.hasOwn(PROGRAMS, name));
}

/** How to get a program; begins with a verb. */
export const howToGet = (program: string): string => PROGRAMS[program] ?? `Install ${program}`;
