# Shared by the commands in tools/ and .ci/: where the project is, how messages look, how a quiet command is run.
# Sourced by bash with `set -euo pipefail`; sets `root` (the project's folder) and `tool` (the command's name).

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
tool=$(basename "$0")

# say TEXT…: one line to stderr; stdout belongs to the command's result.
say() { printf '%s: %s\n' "$tool" "$*" >&2; }

# die CODE TEXT…: the last line, then the end.
die() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

# quietly LOG COMMAND…: output goes to LOG; when COMMAND fails, the log's tail is shown and its status returned.
quietly() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    say "failed (status $status): $*"
    say "the end of ${log#"$root"/}:"
    tail -n 60 "$log" >&2
  fi
  return "$status"
}

# milliseconds: a monotonic-enough stamp for how long a step took.
milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# seconds_since STAMP: "12.3".
seconds_since() {
  local ms=$(($(milliseconds) - $1))
  printf '%d.%d' $((ms / 1000)) $((ms % 1000 / 100))
}
