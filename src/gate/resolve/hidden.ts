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
