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
      # Standard output is for answers alone. Of what it says, the last line is the message of a refusal.
      said=$(parser "$path" 2>&1 </dev/null)
      code=$?
      printf '%s\n' "$said" >&2
      message=$(printf '%s' "$said" | tail -n 1 | tr -cd 'a-zA-Z0-9 .,:;=()/_-' | cut -c 1-500)
      # With the offset of the bad bytes, the report names the rule that the dump breaks.
      offset=$(printf ' %s' "$said" | sed -nE 's/.*[^a-zA-Z](at|offset)[ =]+(0x[0-9a-f]+|[1-9][0-9]*|0)([^0-9a-zA-Z].*)?$/\2/p' | head -n 1)
      case $code in
      0) answer='"status":"accept"' ;;
      1) answer="\"status\":\"reject\",\"message\":\"$message\"${offset:+,\"offset\":$(($offset))}" ;;
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
