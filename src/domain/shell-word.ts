/** A word for a POSIX shell, for commands that people copy; quoted only where it must be. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
