#!/usr/bin/env bash
# Runs a parser behind an adapter over heapsmith's corpus: all that the action does, and runs anywhere.
#
#   ADAPTER='python3 adapter.py' FORMAT=hprof .github/actions/check/check.sh
#
# ADAPTER       the adapter: a command, quoted as for a shell; required
# FORMAT        only dumps of this format: phd, hprof or classic
# RANDOM_DUMPS  number of random dumps besides the corpus (100), SEED their seed (1)
# TIME_LIMIT    seconds for an answer (10)
# EXPECTED      a file of expected failures
# REPORT        the folder for the report (heapsmith-report)
# RELEASES      where releases are (https://github.com/OWNER/heapsmith/releases/download)
# CACHE         the folder that keeps a released program (~/.cache/heapsmith)
#
# heapsmith is taken from the path; or else from the release of this folder's version, whose checksum is compared; or,
# where there is none, built from the folder that this script lies in.
set -euo pipefail

: "${ADAPTER:?the command of the adapter is missing}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

releases=${RELEASES:-https://github.com/OWNER/heapsmith/releases/download}

# The folder of the released program; fails where there is none for this version and machine.
released() {
  local version name cache part
  [ "$(uname -s)" = Linux ] || return 1
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
  name=heapsmith-$version-$(uname -m)-linux
  cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/heapsmith}
  if [ ! -x "$cache/$name/heapsmith" ]; then
    mkdir -p "$cache" && part=$(mktemp -d "$cache/.part-XXXXXX") || return 1
    if ! (cd "$part" && curl -fsSL --retry 3 -O "$releases/v$version/SHA256SUMS" -O "$releases/v$version/$name.tar.gz"); then
      rm -rf "$part"
      echo "there is no release of heapsmith $version for this machine" >&2
      return 1
    fi
    # What is there and not what was released is used by no one.
    if ! (cd "$part" && grep " $name.tar.gz\$" SHA256SUMS | sha256sum --check --quiet - >&2 && tar xzf "$name.tar.gz"); then
      rm -rf "$part"
      echo "$name.tar.gz: its checksum is not that of the release" >&2
      exit 2
    fi
    rm -rf "${cache:?}/$name"
    mv "$part/$name" "$cache/$name"
    rm -rf "$part"
  fi
  printf '%s\n' "$cache/$name"
}

if ! command -v heapsmith >/dev/null; then
  # Whoever has the placeholder for a name does not release heapsmith. In brackets, so that it stays when the others are replaced.
  case $releases in
    */[O]WNER/*)
      echo "the owner of heapsmith's repository is still a placeholder in $0: put heapsmith on the path, name RELEASES, or replace" \
        "the placeholder (packaging/README.md)" >&2
      exit 2
      ;;
  esac
  if folder=$(released); then
    PATH=$folder:$PATH
  elif [ $? -eq 2 ]; then
    exit 2
  else
    cargo install --locked --path "$root"
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
  fi
fi

report=${REPORT:-heapsmith-report}
arguments=(--adapter "$ADAPTER" --random "${RANDOM_DUMPS:-100}" --seed "${SEED:-1}" --report "$report" --force)
[ -z "${FORMAT:-}" ] || arguments+=(--format "$FORMAT")
[ -z "${TIME_LIMIT:-}" ] || arguments+=(--time-limit "$TIME_LIMIT")
[ -z "${EXPECTED:-}" ] || arguments+=(--expected "$EXPECTED")

code=0
heapsmith check "${arguments[@]}" || code=$?
# The page of the run shows the report, whatever came out.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$report/report.md" ]; then
  cat "$report/report.md" >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
