import { type Answer, type } from "./recording-io.ts";

export interface TaskSession {
  /** Adds a task under a name of one letter. Words like `@a` are the ids of earlier ones. */
  readonly add: (name: string, ...argv: readonly string[]) => Promise<string>;
  /** Runs a command line; in what it prints, the id of task a is `t-aaaaaaaa` and times are nought. */
  readonly run: (...argv: readonly string[]) => Promise<Answer>;
  readonly json: (...argv: readonly string[]) => Promise<unknown>;
}

/** Types task commands in a folder, with ids that can be written into a test. */
export function taskSession(cwd: string): TaskSession {
  const ids = new Map<string, string>();
  const withIds = (argv: readonly string[]): string[] => argv.map((word) => ids.get(word) ?? word);
  const withNames = (text: string): string =>
    [...ids]
      .reduce((shown, [name, id]) => shown.replaceAll(id, `t-${name.slice(1).repeat(8)}`), text)
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "0000-00-00 00:00:00Z")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "0000-00-00T00:00:00.000Z");
  const run = async (...argv: readonly string[]): Promise<Answer> => {
    const { code, stdout, stderr } = await type(withIds(argv), { cwd });
    return { code, stdout: withNames(stdout), stderr: withNames(stderr) };
  };
  return {
    run,
    json: async (...argv) => JSON.parse((await run(...argv, "--json")).stdout),
    async add(name, ...argv) {
      const { stdout, stderr } = await type(["task", "add", ...withIds(argv)], { cwd });
      if (!/^t-[0-9a-f]{8}\n$/.test(stdout)) throw new Error(`No id alone on stdout: ${stdout}${stderr}`);
      ids.set(`@${name}`, stdout.trim());
      return stdout.trim();
    },
  };
}
