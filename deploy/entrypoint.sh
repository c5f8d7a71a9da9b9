#!/bin/sh
# Clones the repository where there is no clone yet, and runs a command in it.
set -eu

: "${RALPHCTL_REMOTE:?is the address of the git repository}"
git config --global user.name "${RALPHCTL_GIT_NAME:-ralphctl}"
git config --global user.email "${RALPHCTL_GIT_EMAIL:-ralphctl@$(hostname)}"
if [ ! -d /work/clone/.git ]; then
  git clone "$RALPHCTL_REMOTE" /work/clone
fi
cd /work/clone
exec "$@"
