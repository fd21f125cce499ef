#!/bin/sh
# Connects a program that reads heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy.
#
# Two places are yours: `hello` says which formats your program reads, and `parser` calls it. Only its exit code is judged:
# whether it takes what is valid and refuses what is not. To have its facts judged, use another template.

hello='"protocol":1,"name":"template","version":"1","language":"shell","reads":["hprof"],"levels":["verdict"]'

# YOUR PROGRAM GOES HERE. Exit code 0: the dump was read; 1: it is refused; any other is reported as a crash of the program.
parser() {
  heapsmith validate "$1"
}

while IFS= read -r request; do
  id=$(printf '%s' "$request" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $request in
  *'"op":"hello"'*) answer=$hello ;;
  *'"op":"parse"'*)
    # Paths have no quotation mark and no backslash unless TMPDIR has one.
    path=$(printf '%s' "$request" | sed 's/.*"path":"\([^"]*\)".*/\1/')
    if [ -r "$path" ]; then
      # Standard output is for answers alone.
      parser "$path" >&2 </dev/null
      code=$?
      case $code in
      0) answer='"status":"accept"' ;;
      1) answer='"status":"reject","message":"exit code 1"' ;;
      *) exit "$code" ;;
      esac
    else
      answer='"status":"error","message":"the dump cannot be opened"'
    fi
    ;;
  *) answer='"status":"error","message":"this adapter does not know the operation"' ;;
  esac
  printf '{"id":%s,%s}\n' "$id" "$answer"
done
