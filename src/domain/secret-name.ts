/** Why the name of a file says that it holds a secret; undefined if it does not. */
export function whySecretName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^\.env/i.test(name)) return "files named .env* may hold secrets";
  return KEY_NAME.test(name) ? "it looks like a private key" : undefined;
}

const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:key|p12|pfx|jks|keystore|ppk)$/i;

/** Whether a file is made for others to read: an example (`.env.example`), or a key that tests use. */
export function isSample(path: string): boolean {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (EXAMPLE.test(name)) return true;
  return folders.some((folder) => FIXTURES.test(folder) || (TESTS.test(folder) && !/^\.env/i.test(name)));
}

const EXAMPLE = /[._-](?:example|sample|template|tmpl|tpl|dist)$/i;
const FIXTURES = /^(?:__)?(?:fixtures?|test-?data)(?:__)?$/i;
/** Tests may have an `.env` with real passwords beside them. */
const TESTS = /^(?:__)?(?:tests?|specs?|examples?)(?:__)?$/i;
