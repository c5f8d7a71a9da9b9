import { execFileSync, spawn } from "node:child_process";
import type { Socket } from "node:net";

/** A small process that puts the terminal back in order, should we be killed while we read keys from it. */
export interface TerminalGuard {
  /** The terminal gives us every key now, and its cursor is hidden. */
  readonly taken: () => void;
  /** It is as it was. */
  readonly left: () => void;
  /** The guard is not needed any more. */
  readonly end: () => void;
}

/** By which it is found; the value is the number of the process that it is for. */
export const TERMINAL_GUARD_MARKER = "RALPHCTL_TERMINAL_GUARD";

/**
 * Starts a guard for the terminal at our standard input and output, which must be as it is to be again. It is in a session
 * of its own, so that nothing that is typed reaches it, and waits on a pipe that ends when we do, however that comes
 * about. Undefined if it cannot start: it is needed only if we are killed.
 */
export function startTerminalGuard(searchPath: string): TerminalGuard | undefined {
  const env = { PATH: searchPath, LC_ALL: "C" };
  const state = terminalState(env);
  if (state === undefined) return undefined;
  const child = spawn("/bin/sh", ["-c", TERMINAL_GUARD_SCRIPT, "ralphctl-terminal-guard", state, String(process.pid)], {
    cwd: "/",
    detached: true,
    env: { ...env, [TERMINAL_GUARD_MARKER]: String(process.pid) },
    stdio: ["pipe", "ignore", "ignore", 0, 1],
  });
  const pipe = child.stdin as Socket;
  for (const each of [child, pipe]) each.on("error", () => undefined);
  // It must not keep our process alive.
  for (const each of [child, pipe]) each.unref();
  const tell = (word: string): void => void pipe.write(`${word}\n`);
  return { taken: () => tell("taken"), left: () => tell("left"), end: () => void pipe.end("left\n") };
}

/** How the terminal is set, in the words of `stty`; undefined where it cannot be told. */
function terminalState(env: Readonly<Record<string, string>>): string | undefined {
  try {
    const told = execFileSync("stty", ["-g"], { env, encoding: "utf8", stdio: ["inherit", "pipe", "ignore"] }).trim();
    return /^[\w:=]+$/.test(told) ? told : undefined;
  } catch {
    return undefined; // there is no stty, or no terminal
  }
}

/**
 * The script of a terminal's guard, for `sh`. $1 is the state of the terminal, as `stty -g` prints it, $2 the process that has
 * it; 3 and 4 are its standard input and output, the terminal.
 *
 * It leaves a terminal alone that another process has by then: when another process group is in its foreground than that of
 * the killed process or of the session's leader, which is the shell. And its settings are left alone when they are not
 * those of the killed process any more: interactive shells put them back themselves, for which they get a moment.
 */
const TERMINAL_GUARD_SCRIPT = `# Puts the terminal back in order, should ralphctl be killed.
trap '' HUP INT QUIT TERM TTOU
saved=$1
if [ -r "/proc/$2/stat" ]; then
  look() { # at a process: sets its parent, group and session, and the group that has its terminal
    stat=
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null
    set -- \${stat##*) }
    parent=\${2-} group=\${3-} session=\${4-} holder=\${6-}
  }
  look "$2"
  leader=$session
else
  look() {
    set -- $(ps -o ppid= -o pgid= -o tpgid= -p "$1")
    parent=\${1-} group=\${2-} holder=\${3-}
  }
  look "$2"
  leader=$parent
fi
own=$group

taken=
while read -r word; do
  case $word in
    taken) taken=$(stty -g <&3) ;;
    *) taken= ;;
  esac
done
[ -n "$taken" ] || exit 0

sleep 0.3 || sleep 1
look "$leader"
[ -n "$holder" ] || exit 0
[ "$holder" = "$own" ] || [ "$holder" = "$group" ] || exit 0
if [ "$(stty -g <&3)" = "$taken" ]; then stty "$saved" <&3; fi
# A frame that has no end, lines that are not wrapped, a cursor that is hidden, a block that says that all goes on.
printf '\\033[?2026l\\033[?7h\\033[?25h\\033[J' >&4
`;
