import { expect, vi } from "vitest";
import { PROGRAM } from "./built-program.ts";
import type { Started } from "./control-process.ts";
import type { LoopWorkspace } from "./loop-workspace.ts";
import { screenAfter, type SeenScreen } from "./screen.ts";
import { startAtTerminal } from "./terminal.ts";

/** Of the terminal. */
export const SIZE = { columns: 120, rows: 40 };

/** Says afterwards whether the terminal reads lines and echoes them, and whether keys become signals. */
const THEN_LOOK = `trap : INT QUIT
"$@"
code=$?
case " $(stty -a | tr '\\n;' '  ') " in
  *" -icanon "* | *" -echo "* | *" -isig "*) echo "The terminal is raw" ;;
  *) echo "The terminal is as it was" ;;
esac
exit $code`;

export interface Watched extends Started {
  /** What is on the terminal now. */
  readonly screen: () => Promise<SeenScreen>;
  /** Resolves once it is on the terminal. */
  readonly shows: (text: string) => Promise<void>;
}

/** Starts the program in a terminal of its own. */
export function watch(
  { folder }: Pick<LoopWorkspace, "folder">,
  words: readonly string[],
  env: readonly string[] = [],
): Watched {
  const command = ["env", "-u", "NO_COLOR", "-u", "CI", "TERM=xterm", ...env, process.execPath, PROGRAM];
  const started = startAtTerminal(["sh", "-c", THEN_LOOK, "sh", ...command, ...words], folder);
  const screen = async (): Promise<SeenScreen> => await screenAfter(SIZE, [started.output()]);
  return {
    ...started,
    screen,
    shows: async (text) => {
      const isSeen = async (): Promise<boolean> => (await screen()).shown.includes(text);
      await vi.waitUntil(isSeen, { timeout: 50_000, interval: 50 }).catch(async () => {
        throw new Error(`It does not show ${text}, but:\n${(await screen()).shown}`);
      });
    },
  };
}

/** Nothing of the view is left, and the terminal is as it was. */
export async function expectSane({ screen, output }: Watched): Promise<void> {
  const { shown, wraps } = await screen();
  expect([/^──/m.test(shown), shown.includes("p pause"), shown.includes("silent for"), wraps]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(shown.trimEnd().split("\n").at(-1)).toBe("The terminal is as it was");
  expect(output().lastIndexOf("\u001b[?25h")).toBeGreaterThan(output().lastIndexOf("\u001b[?25l"));
}
