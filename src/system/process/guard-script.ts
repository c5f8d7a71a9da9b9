import { MARKER } from "./marker.ts";

/** How `sh` is started as the guard of a run. */
export function guardArguments(mark: string, endedFile = "", engines: readonly string[] = []): string[] {
  const item = mark.replaceAll(".", "[.]");
  const entry = `^${MARKER}=(.*,)?${item}(,.*)?$`;
  const line = ` ${MARKER}=([^ ]*,)?${item}(,[^ ]*)?( |$)`;
  return ["-c", SCRIPT, "ralphctl-guard", entry, line, mark, endedFile, ...engines];
}

/**
 * The guard's script for `sh`: waits for the word `end`, and if its input ends without it, ends every process that
 * carries the marker. First SIGTERM, later SIGKILL, until two looks find none; for about five seconds at most.
 *
 * Like a sweep of ours it takes a process only for what it is when it carried the marker twice and began at the same
 * time still. Its own processes are never found: they do not carry the marker.
 *
 * $1 is an extended regular expression for the entry of an environment, $2 one for a line of `ps -E`. $3 is the mark, and
 * $4 the file that gets it at once: by the time of that file, changes after the kill are told from those before. All
 * others are engines, whose containers live on when their clients end: those with the mark in their names are removed.
 */
const SCRIPT = `# Ends what ralphctl has started, should ralphctl be killed.
trap '' HUP INT QUIT TERM
while read -r word; do
  if [ "$word" = end ]; then exit 0; fi
done

entry=$1 line=$2
if [ -n "$4" ]; then echo "$3" >"$4"; fi
if [ -r /proc/self/environ ]; then
  if printf 'a\\0b\\0' | grep -qz '^b$' 2>/dev/null; then
    marked() { grep -Elsz -e "$entry" "$@"; }
  else # the grep of some small systems knows lines only
    marked() {
      for file; do
        tr '\\000' '\\n' <"$file" | grep -Eq -e "$entry" && echo "$file"
      done 2>/dev/null
    }
  fi
  look() { # of these processes, or of all
    files=
    for pid in $*; do files="$files /proc/$pid/environ"; done
    for file in $(marked \${files:-/proc/[0-9]*/environ}); do
      file=\${file%/environ}
      echo "\${file#/proc/}"
    done
  }
  began() { # sets at
    at=
    { read -r at <"/proc/$1/stat"; } 2>/dev/null
    set -- \${at##*) }
    at=\${20-}
  }
else
  look() {
    ps -A -E -ww -o pid= -o command= | grep -E -e "$line" | while read -r pid rest; do echo "$pid"; done
  }
  began() { # a ps for each of hundreds would take too long; having looked twice must do
    at=
  }
fi

round=0 quiet=0 asked=' '
while [ $quiet -lt 2 ] && [ $round -lt 80 ]; do
  round=$((round + 1)) known=' ' quiet=$((quiet + 1))
  found=$(look)
  for pid in $found; do
    began "$pid"
    known="$known$pid:$at "
  done
  if [ -n "$found" ]; then
    for pid in $(look $found); do
      quiet=0
      began "$pid"
      case $known in *" $pid:$at "*) ;; *) continue ;; esac
      if [ $round -gt 6 ]; then
        kill -s KILL "$pid"
      else
        case $asked in *" $pid "*) ;; *) kill -s TERM "$pid" ;; esac
        asked="$asked$pid "
      fi
    done
  fi
  sleep 0.05 || sleep 1
done

mark=$3
shift 4
# The same engine that has started them: another one of that name does not know them.
PATH=\${ENGINE_PATH:-$PATH}
for engine; do
  for each in $("$engine" ps --all --quiet --filter "name=^ralphctl-$mark-"); do "$engine" rm --force "$each"; done
done
`;
