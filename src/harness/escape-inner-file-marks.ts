/**
 * Some CLIs take `@` inside a word for the name of a file, and put a blank before it: addresses, packages and quoted
 * names would be changed. A backslash keeps them as they are. Where a word begins with it, it may be meant.
 */
export const escapeInnerFileMarks = (text: string): string => text.replaceAll(/(?<=[^\s\\])@(?=\S)/g, String.raw`\@`);
