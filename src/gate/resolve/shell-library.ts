const FUNCTION = /^(?:function\s+\S+|[\w:.-]+\s*\(\))/;
const DECLARES =
  /^\s*(?:#.*|(?:export |readonly |declare (?:-\w+ )?)?\w+=\S*|set\s+[-+]\w.*|(?:export|readonly)\s+\w.*)?$/;

/** Whether a script only defines functions and variables: it does nothing by itself. */
export function isShellLibrary(text: string): boolean {
  let [isInside, hasFunctions] = [false, false];
  for (const line of text.split(/\r?\n/)) {
    if (isInside) isInside = !/^[})]/.test(line);
    else if (FUNCTION.test(line)) {
      hasFunctions = true;
      isInside = !/[})]\s*$/.test(line.replace(/^[^{]*\(\)\s*$/, ""));
    } else if (!DECLARES.test(line)) return false;
  }
  return hasFunctions && !isInside;
}
