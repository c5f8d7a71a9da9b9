#!/bin/bash
# Prints the prompt of one iteration of a sprint in ralph mode.
# Usage: build-ralph-prompt.sh SPRINT_DIR MODE ITERATION      (MODE: planning | executing | reflecting)
# The prompt is made by ralphctl, the same program that runs the loop.
set -euo pipefail

fail() {
  echo "Error: $1" >&2
  exit 1
}

SPRINT_DIR="${1:-}"
MODE="${2:-}"
ITERATION="${3:-}"

[[ $# -le 3 ]] || fail "Three arguments expected: build-ralph-prompt.sh SPRINT_DIR MODE ITERATION"
[[ -n "$SPRINT_DIR" ]] || fail "Sprint directory required: build-ralph-prompt.sh SPRINT_DIR MODE ITERATION"
[[ -d "$SPRINT_DIR" ]] || fail "Valid sprint directory required: $SPRINT_DIR does not exist"
[[ -f "$SPRINT_DIR/PROGRESS.yaml" ]] || fail "PROGRESS.yaml not found in $SPRINT_DIR"
case "$MODE" in
  planning | executing | reflecting) ;;
  "") fail "Mode required: planning, executing or reflecting" ;;
  *) fail "Unknown mode '$MODE': use planning, executing or reflecting" ;;
esac
[[ "$ITERATION" =~ ^[1-9][0-9]*$ ]] || fail "Iteration required: a whole number from 1 on"

# Beside this script in the package, whatever links led here.
SCRIPT="${BASH_SOURCE[0]}"
while [[ -L "$SCRIPT" ]]; do
  LINK="$(readlink "$SCRIPT")"
  [[ "$LINK" == /* ]] && SCRIPT="$LINK" || SCRIPT="$(dirname "$SCRIPT")/$LINK"
done
PROGRAM="$(CDPATH="" cd -- "$(dirname -- "$SCRIPT")/.." > /dev/null && pwd)/dist/bin.js"
[[ -f "$PROGRAM" ]] || fail "ralphctl is not built: $PROGRAM does not exist"
command -v node > /dev/null || fail "node is required"

node "$PROGRAM" prompt "$MODE" --sprint "$SPRINT_DIR" --iteration "$ITERATION" || exit 1
