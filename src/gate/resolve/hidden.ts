import { isProduct } from "./product.ts";
import type { WalkedCommands } from "./walk.ts";

const ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".json"];
const ENDING = /\.(?:[cm]?[jt]s|json)$/;

/** The files that programs no longer find if there is this one: `check` comes before `check.js`, a package before a module. */
export function filesHiddenBy(path: string): string[] {
  if (path.endsWith("/__init__.py")) return [path.replace(/\/__init__\.py$/, ".py")];
  const name = path.replace(ENDING, "");
  const indexes = ENDINGS.map((ending) => `${name}/index${ending}`);
  return name === path ? [...ENDINGS.map((ending) => path + ending), ...indexes] : indexes;
}

/** Modules of Python itself that tests and checks use. */
const STANDARD = new Set(
  "abc argparse ast asyncio base64 bisect builtins calendar collections contextlib copy csv dataclasses datetime decimal difflib doctest email enum fnmatch fractions functools gc glob gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword locale logging math mimetypes multiprocessing numbers operator os pathlib pickle platform posixpath pprint queue random re select shlex shutil signal site socket sqlite3 statistics string struct subprocess sys tempfile textwrap threading time timeit token tokenize traceback types typing unicodedata urllib uuid warnings weakref xml zipfile zlib".split(
    " ",
  ),
);

/** The module of Python that a file would hide from programs in its folder; its folder comes first in the search. */
export function moduleHiddenBy(path: string): { readonly folder: string; readonly name: string } | undefined {
  const [, folder = "", name = ""] = /^(?:(.*)\/)?([a-z\d]+)(?:\.py|\/__init__\.py)$/.exec(path) ?? [];
  return STANDARD.has(name) ? { folder, name } : undefined;
}

/** Libraries for tests, by the tools that look among the sources first. */
const LIBRARIES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:ruby|rake|rspec|rails|bundle|cucumber)\b/,
    /^(?:.*\/)?lib\/(?:minitest|rspec|cucumber|capybara|test\/unit|shoulda|webmock|mocha)(?=\.rb$|\/)/,
  ],
  [/\b(?:prove|perl)\b/, /^(?:(?:.*\/)?lib\/)?Test2?\/(?:More|Simple|Builder|API|V0)(?=\.pm$|\/)/],
  [/\bbusted\b/, /^(?:(?:.*\/)?(?:lib|src)\/)?(?:luassert|busted|say)(?=\.lua$|\/)/],
  [
    /\b(?:gradlew?|mvnw?|sbt|mill|bazel)\b/,
    /^(?:.*\/)?(?:org\/(?:junit|testng|assertj|hamcrest|mockito|spockframework|opentest4j)|kotlin\/test|io\/kotest|com\/google\/common\/truth)(?=\/)/,
  ],
  [/\b(?:php|phpunit|pest|composer|codecept)\b/, /^(?:.*\/)?(?:src|lib|app)\/(?:PHPUnit|Pest|Mockery|Prophecy)(?=\/)/],
  [/\bmix\b/, /^(?:.*\/)?lib\/ex_unit(?=\.ex$|\/)/],
  [/\bpy(?:thon|test|\.test)|\b(?:tox|nox)\b/, /^(?:(?:src|lib)\/)?(?:pytest_\w+|xdist|anyio)(?=\.py$|\/)/],
];

/** The path of a library for tests, without an ending, in whose place its language would find a file. */
export function libraryHiddenBy(path: string, text: string): string | undefined {
  if (/(?:^|\/)(?:vendor|node_modules|\.?venv|site-packages)\//.test(path)) return undefined;
  for (const [tools, place] of LIBRARIES) {
    const found = tools.test(text) ? place.exec(path)?.[0] : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether only the library itself has such a file: others may have plugins beside it. */
export const isOfLibrary = (path: string): boolean =>
  /\.(?:pm|lua|java|kt|php|ex)$|(?:minitest(?:\/(?:autorun|test|assertions|spec|mock|unit))?|rspec(?:\/(?:core|expectations|mocks|autorun))?|test\/unit(?:\/(?:testcase|assertions))?)\.rb$/.test(
    path,
  );

/** Programs of a system and of languages that scripts and tests start by their names. */
const PROGRAMS = new Set(
  "ansible apt ash awk base64 basename bash bats bazel bc brew bun bundle busybox c++ cargo cat cc chmod chown cksum clang clang++ clippy-driver cmake cmp comm composer cp coverage cpp ctest curl cut dash date dd deno df diff dirname docker docker-compose dotnet du echo egrep elixir env erl eslint expect expr false fd fgrep file find flake8 fold g++ gawk gcc gem getopt git go gofmt gotestsum gradle grep gunzip gzip head hostname hexdump id install java javac jest join jq julia just kill ksh ld less ln logger ls lua make mawk md5sum mix mkdir mktemp mocha mv mvn mypy mysql nice ninja nl node nohup npm npx nproc od openssl paste patch perl pgrep php phpunit pip pip3 pkill playwright pnpm poetry podman prettier printenv printf prove ps psql pwd pylint pytest python python2 python3 rake readlink realpath redis-cli rg rm rmdir rspec rsync rubocop ruby ruff rustc sed seq sh sha1sum sha256sum shasum shellcheck sleep sort split sqlite3 ssh stat stdbuf strace sudo swift tac tail tar task tee test time timeout touch tox tr tree true tsc tsx tty uname uniq unzip uv uvx vitest wc wget which xargs xxd yarn yes yq zcat zip zsh".split(
    " ",
  ),
);

/** Whether a file would run in place of another program, if programs are looked for in these folders. */
export function hidesProgram(path: string, { searched, programs, text }: WalkedCommands): boolean {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  if (!searched.has(path.slice(0, Math.max(slash, 0)))) return false;
  if (PROGRAMS.has(name)) return true;
  // The product may be what a check starts.
  return !isProduct("", path) && (programs.has(name) || quotedName(name).test(text));
}

/** A file of this name that was there may have been made to do more; of others that is the work. */
export const isKnownProgram = (path: string): boolean => PROGRAMS.has(path.slice(path.lastIndexOf("/") + 1));

/** In code: the name as the first word of a string. */
const quotedName = (name: string): RegExp => new RegExp(`["'\`]${name.replaceAll(/\W/g, String.raw`\$&`)}(?=["'\` ])`);
