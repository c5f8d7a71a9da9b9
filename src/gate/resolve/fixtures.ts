import type { Look } from "../source.ts";

/** Fixtures that pytest has itself. */
const BUILT_IN =
  /^(?:tmp_?path(?:_factory)?|tmpdir(?:_factory)?|monkeypatch|cap(?:sys|fd|log)\w*|request|recwarn|record_\w+|pytestconfig|cache|doctest_namespace|testdir|pytester)$/;

interface Texts {
  readonly before: string | undefined;
  readonly after: string;
  readonly base: Look;
}

/**
 * Whether a `conftest.py` only got fixtures with new names, and imports for them: a test has to ask for these, so that
 * no test that was there runs otherwise. Everything else, such as a hook or `autouse`, changes how all tests run.
 */
export async function isFixturesOnly(path: string, { before = "", after, base }: Texts): Promise<boolean> {
  const old = blocksOf(before);
  let kept = 0;
  const added = blocksOf(after).filter((block) => {
    if (block !== old[kept]) return true;
    kept += 1;
    return false;
  });
  if (kept < old.length) return false;
  const known = new Set([before, ...(await textsAbove(path, base))].join("\n").match(/\w+/g));
  return added.every((block) => {
    const name = FIXTURE.exec(block)?.[1];
    if (name === undefined) return IMPORT.test(block) && !/\*|\bpytest_/.test(block);
    return !/autouse|pytest_|\bname\s*=/.test(block) && !BUILT_IN.test(name) && !known.has(name);
  });
}

const FIXTURE = /^@pytest\.fixture\b[^\n]*\n(?:async )?def (\w+)\(/;
const IMPORT = /^(?:(?:from [\w.]+ )?import [^\n]+|from [\w.]+ import \([^)]*\)|#[^\n]*|"""[^]*""")$/;

/** Statements of the top level, each with its decorators and with what is indented below it. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let decorators = "";
  for (const part of text.split(/\n(?=[^\s)\]}])/)) {
    if (part.startsWith("@") || (decorators !== "" && !/^(?:def|async def|class) /.test(part)))
      decorators += `${part}\n`;
    else {
      blocks.push(decorators + part);
      decorators = "";
    }
  }
  return [...blocks, decorators].map((block) => block.trimEnd()).filter((block) => block.trim() !== "");
}

async function textsAbove(path: string, base: Look): Promise<string[]> {
  const steps = path.split("/").slice(0, -1);
  const folders = steps.map((_, at) => steps.slice(0, at).join("/"));
  const texts = await Promise.all(
    folders.map((folder) => base.text(folder === "" ? "conftest.py" : `${folder}/conftest.py`)),
  );
  return texts.flatMap((text) => text ?? []);
}
