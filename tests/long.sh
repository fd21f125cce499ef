#!/usr/bin/env bash
# The tests that `cargo test` leaves out because each takes more than half a minute or builds other programs: whole banks of bugs,
# all readings, a campaign that is killed, peers, users' crates, the growth of work.
#
#   tests/long.sh [--test PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo test "$@" -- --ignored
