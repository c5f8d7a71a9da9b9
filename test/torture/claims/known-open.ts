/** Cases that end otherwise today, by name, with the reason. Remove a line when its case passes: a test asks for it. */
export const KNOWN_OPEN: Readonly<Record<string, string>> = {};
