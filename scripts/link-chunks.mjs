/**
 * Puts CommonJS chunks that are loaded together into one file: to find, read and compile forty files takes Node longer
 * than to run what is in them. A chunk still runs only when it is asked for.
 *
 * `chunks`: their texts by file name. `patterns`: the files to make, each with a pattern of the chunks that it
 * is made for, and gets with all that they import, but for what is in a file before it. What is in no group stays a file
 * of its own.
 */
export function linkChunks(chunks, patterns) {
  const groups = Object.fromEntries(
    Object.entries(patterns).map(([file, pattern]) => [file, matching(chunks, pattern)]),
  );
  const home = new Map();
  for (const [file, entries] of Object.entries(groups)) {
    const names = new Set(entries.flatMap((entry) => Array.from(closureOf(chunks, entry))));
    for (const name of names) if (!home.has(name)) home.set(name, file);
  }
  const textOf = (name) => linked(chunks.get(name), { home, here: home.get(name) });
  const alone = [...chunks.keys()].filter((name) => !home.has(name)).map((name) => ({ name, text: textOf(name) }));
  const files = Object.keys(groups).map((file) => {
    const names = [...home.keys()].filter((name) => home.get(name) === file);
    return { name: file, text: fileOf(names.map((name) => `${JSON.stringify(name)}: ${functionOf(textOf(name))}`)) };
  });
  return [...alone, ...files];
}

function matching(chunks, pattern) {
  const names = [...chunks.keys()].filter((name) => pattern.test(name));
  if (names.length === 0) throw new Error(`No chunk is called ${pattern}`);
  return names;
}

/** What is loaded later stands in a call. */
const STATIC = /=require\("\.\/(?:chunks\/)?([\w-]+\.js)"\)/g;

/** A chunk with all that it loads at once. */
function closureOf(chunks, entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const [, name] of chunks.get(entry).matchAll(STATIC)) closureOf(chunks, name, seen);
  return seen;
}

/** All files lie in one folder, in which the entry did not. Names of chunks end in a hash: no other text reads like that. */
const linked = (text, { home, here }) =>
  text.replace(/\brequire\("\.\/(?:chunks\/)?([\w-]+-[A-Z0-9]{8}\.js)"\)/g, (_, name) => {
    const there = home.get(name);
    if (there === undefined) return `require("./${name}")`;
    return `${there === here ? "" : `require("./${there}").`}$part(${JSON.stringify(name)})`;
  });

/** The file of a group. Its names begin with a dollar sign, so that they are nobody else's. */
const fileOf = (parts) => `const $made = {};
const $part = (name) => {
  if ($made[name]) return $made[name].exports;
  const module = ($made[name] = { exports: {} });
  $parts[name](module);
  return module.exports;
};
exports.$part = $part;
const $parts = {
${parts.join(",\n")}
};
`;

const functionOf = (text) => `(function (module) {\n${text}})`;
