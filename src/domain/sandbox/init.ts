import type { CommandLine } from "./sandbox.ts";

/** The descriptor on which the first process of a namespace tells which others were left: a line each. */
export const LEFT_DESCRIPTOR = 3;

/**
 * The first process of a process namespace: starts the program, waits for it, names the processes that it left, asks them
 * to end, and ends, which ends them all. The system lets no process inside end it.
 *
 * Only what the shell itself can do, unless there is a process to wait for. A shell of its own starts the program: what
 * the first one says of a signal must not get among the program's words.
 */
const SCRIPT = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
exec 0<&- 1>&- 4>&-
left() {
  found=
  for folder in /proc/[0-9]*; do
    [ "$folder" = /proc/1 ] && continue
    read -r stat <"$folder/stat" || continue
    case \${stat##*) } in [ZXx]*) continue ;; esac
    found=1
    [ "$1" = tell ] || return 0
    name=\${stat#*(}
    echo "\${folder#/proc/} \${name%)*}" >&3
  done
  [ -n "$found" ]
}
if left tell; then
  kill -s TERM -1
  tries=0
  while [ $tries -lt 6 ] && left; do
    tries=$((tries + 1))
    sleep 0.05
  done
fi
exit $code`;

/** The command line that starts a program under the first process of its namespace. */
export const underInit = (program: readonly string[]): CommandLine => [
  "/bin/sh",
  "-c",
  SCRIPT,
  "ralphctl-init",
  ...program,
];

/** The names of processes that were left, from what the first one told. */
export const readLeft = (text: string): string[] =>
  text.split("\n").flatMap((line) => /^\d+ (.+)$/.exec(line)?.[1] ?? []);

/** Signals that end a program. Exit codes of programs themselves are seldom these. */
const FATAL = [
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
] as const;

/** A shell tells the signal that ended a program by its exit code. Undefined: by none. */
export const signalOf = (code: number | null): `SIG${(typeof FATAL)[number]}` | undefined => {
  const name = FATAL[(code ?? 0) - 129];
  return name === undefined ? undefined : `SIG${name}`;
};

/** The command line that gives a program a process namespace, and changes nothing else. */
export function namespaceCommand(
  user: { readonly uid: number; readonly gid: number } | undefined,
  program: CommandLine,
): CommandLine {
  const own = user === undefined ? [] : ["--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  const words = ["--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"];
  return ["unshare", ...own, ...words, ...underInit(program)];
}
