import { matchesAny } from "./glob.ts";
import { PASSWORD } from "./secret-forms.ts";
import { MIN_SECRET_LENGTH, spellings } from "./secret-spellings.ts";

// Not KEYBOARD, AUTHOR and BYPASS, whose values are ordinary words.
const SECRET_NAME =
  /KEY(?!BOARD|MAP|RING|CLOAK|_?VAULT_?NAME)|TOKEN(?!IZER)|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH(?!OR(?!IZ))|COOKIE|JWT|BEARER|CONN(?:ECTION)?_?STR|HOOK_UR[LI]|(?:^|[_.-])(?:PWD|PAT|DSN)$|(?<!BY|COM|SUR|TRES|ASK)PASS$/i;
/** Folders of the shell. */
const FOLDER_NAME = /^(?:OLD)?PWD$/;
/** The path of a secret is not secret: hiding it would make much output unreadable. */
const PLACE_NAME = /_(?:SOCK|FILE|PATH|DIR|CONTROL)$|CREDENTIALS$|ASKPASS$/i;
/** What describes a login, and is none. */
const ABOUT_NAME =
  /_(?:UR[LI]|HOST|HOSTNAME|DOMAIN|ENDPOINT|ISSUER|AUDIENCE|TYPE|METHOD|MODE|ALGORITHM|BACKEND|NAME|COLUMN)$/i;
const HOOK_NAME = /HOOK/i;

/** Whether the value of a variable is secret by its name. */
function isNamed(name: string, value: string): boolean {
  // The address of a hook is all that a caller needs.
  if (HOOK_NAME.test(name) && value.includes("://")) return true;
  if (!SECRET_NAME.test(name) || FOLDER_NAME.test(name)) return false;
  if (PLACE_NAME.test(name) && /^(?:\/|~\/|[A-Z]:\\)/.test(value)) return false;
  // `MAX_TOKENS`
  return !ABOUT_NAME.test(name) && !(/TOKENS$/i.test(name) && /^\d+$/.test(value));
}

/** In a value that is one address, a password may have signs that should be written as `%2F`. */
const ADDRESS = /^[\w+.-]+:\/\/[^\s:/@]*:(?!\d+\/)(\S{3,})@[\w[][^\s@]*$/;
/** `Server=db;Password=…` */
const PARTS = /(?:^|;)\s*(?:Password|Pwd|AccountKey|SharedAccessKey)\s*=([^;]+)/gi;

/** What of a value is a secret by itself. */
function passwordsIn(value: string): string[] {
  const found = [...value.matchAll(PASSWORD)].map(([, , password = ""]) => password);
  const whole = ADDRESS.exec(value)?.[1];
  const parts = [...value.matchAll(PARTS)].map(([, part = ""]) => part.trim());
  return [...found, ...(whole === undefined ? [] : [whole]), ...parts].flatMap((each) => [each, decoded(each)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign of its own
  }
}

/** The values of variables that are secrets by their names, or because they are addresses with a password. */
export function secretsIn(
  variables: Iterable<readonly [name: string, value: string | undefined]>,
  more: readonly string[] = [],
): [secret: string, name: string][] {
  return Array.from(variables).flatMap(([name, given = ""]): [string, string][] => {
    // Programs print a value without the line end that a file had given it.
    const value = given.trim();
    const passwords = passwordsIn(value);
    const isSecret = isNamed(name, value) || passwords.length > 0 || matchesAny(more, name);
    if (!isSecret) return [];
    const pieces = value.includes("\n")
      ? value.split(/\s*\n\s*/).filter(({ length }) => length >= 2 * MIN_SECRET_LENGTH)
      : [];
    return [...new Set([value, ...passwords, ...pieces])].flatMap((secret) =>
      spellings(secret).map((each): [string, string] => [each, name]),
    );
  });
}

const LINE = /^[ \t]*(?:export[ \t]+)?["']?([\w.-]{1,100})["']?[ \t]*[:=][ \t]*(.{1,4000})$/gm;

/** The settings of a file with a name and a value on each line: `.env`, YAML, TOML, properties, JSON. */
export const settingLines = (text: string): [name: string, value: string][] =>
  [...text.matchAll(LINE)].map(([, name = "", value = ""]) => [name, bareValue(value)]);

/** The same, by names. */
export const settingsIn = (text: string): Record<string, string> => Object.fromEntries(settingLines(text));

function bareValue(written: string): string {
  const value = written.trim().replace(/,$/, "");
  return /^(["'`])(.*)\1$/.exec(value)?.[2] ?? value.replace(/ #.*$/, "");
}
