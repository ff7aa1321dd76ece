#!/usr/bin/env bash
# Draws shapes.
set -eu

source ./lib.sh
. "$HOME/.shapes"

# How many.
readonly LIMIT=100
width=3 height=4
export PATH="$PATH:/opt/shapes"
declare -A colors=([red]=1)

# Draws one.
draw() {
  local shape=$1
  inner() { echo "inner"; }
  depth=2
}

function erase {
  echo erased
}

function resize() (
  cd /tmp
)

if [ -n "${FAST:-}" ]; then
  quick() { :; }
else
  quick() { sleep 1; }
fi

for file in *.shape; do
  last=$file
done

cleanup() { rm -f tmp; } && trap cleanup EXIT
cat <<END
not() { a function; }
END
