const BY_HASH = /\.(?:py|rb|php|sh|bash)$/;
const BY_SLASHES = /\.(?!(?:py|rb|sh|bash)$)\w+$/;

/**
 * A source without the lines that are comments as a whole, by the signs of its language: a sign that means something else
 * there, or code behind the end of a comment, must not hide anything.
 */
export function withoutComments(path: string, text: string): string {
  const [hasHash, hasSlashes] = [BY_HASH.test(path), BY_SLASHES.test(path)];
  let isInside = false;
  const code = (line: string): string => {
    const start = line.trimStart();
    if (hasHash && /^#(?![![])/.test(start)) return "";
    if (!hasSlashes) return line;
    if (!isInside && start.startsWith("//")) return "";
    const opens = !isInside && start.startsWith("/*");
    const end = isInside || opens ? start.indexOf("*/", opens ? 2 : 0) : -1;
    isInside = end < 0 && (isInside || opens);
    if (end >= 0) return start.slice(end + 2);
    return opens || (isInside && start.startsWith("*")) ? "" : line;
  };
  return text.split("\n").map(code).join("\n");
}
