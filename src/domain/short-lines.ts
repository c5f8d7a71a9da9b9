const LONGEST = 2000;

/** Breaks very long lines, such as minified code, on which patterns that look along a line would take minutes. */
export const withShortLines = (text: string): string => text.replaceAll(new RegExp(`[^\\n]{${LONGEST}}`, "g"), "$&\n");
