/**
 * What the guard of a terminal does, for `sh`. $1 is how the terminal was, as `stty -g` says it, $2 the process that has
 * it; 3 and 4 are its standard input and output, the terminal.
 *
 * A terminal that somebody else has by then is left alone: when another process group is in its foreground than that of
 * the killed process or of the session's leader, which is the shell. And its settings are left alone when they are not
 * those of the killed process any more: interactive shells put them back themselves, for which they get a moment.
 */
export const TERMINAL_GUARD_SCRIPT = `# Puts the terminal back in order, should ralphctl be killed.
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
