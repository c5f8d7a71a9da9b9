import { matchesAny } from "./glob.ts";
import { PASSWORD } from "./secret-forms.ts";
import { MIN_SECRET_LENGTH, spellings } from "./secret-spellings.ts";

// Not KEYBOARD, and not AUTHOR, whose values are ordinary words.
const SECRET_NAME =
  /KEY(?!BOARD)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH(?!OR(?!I))|COOKIE|HOOK_UR[LI]|(?:^|[_.-])(?:PWD|PASS|PAT|DSN)$/i;
/** Folders of the shell. */
const FOLDER_NAME = /^(?:OLD)?PWD$/;
/** The path of a secret is not secret: hiding it would make much output unreadable. */
const PLACE_NAME = /_(?:SOCK|FILE|PATH|DIR)$/i;

/** The values of variables that are secrets by their names, or because they are addresses with a password. */
export function secretsIn(
  variables: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): [secret: string, name: string][] {
  return Object.entries(variables).flatMap(([name, given = ""]): [string, string][] => {
    // Programs print a value without the line end that a file had given it.
    const value = given.trim();
    const passwords = [...value.matchAll(PASSWORD)].map(([, , password = ""]) => password);
    const isPlace = FOLDER_NAME.test(name) || (PLACE_NAME.test(name) && value.startsWith("/"));
    const isSecret = (SECRET_NAME.test(name) && !isPlace) || passwords.length > 0 || matchesAny(more, name);
    if (!isSecret) return [];
    const pieces = value.includes("\n")
      ? value.split(/\s*\n\s*/).filter(({ length }) => length >= 2 * MIN_SECRET_LENGTH)
      : [];
    return [value, ...passwords, ...pieces].flatMap((secret) =>
      spellings(secret).map((each): [string, string] => [each, name]),
    );
  });
}

const LINE = /^[ \t]*(?:export[ \t]+)?["']?([\w.-]{1,100})["']?[ \t]*[:=][ \t]*(.{1,4000})$/gm;

/** The settings of a file with a name and a value on each line: `.env`, YAML, TOML, properties, JSON. */
export const settingsIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(LINE)].map(([, name = "", value = ""]) => [name, bareValue(value)]));

function bareValue(written: string): string {
  const value = written.trim().replace(/,$/, "");
  return /^(["'`])(.*)\1$/.exec(value)?.[2] ?? value.replace(/ #.*$/, "");
}
