# Runs the tests of a build folder label by label and keeps the books: seconds, budget, outcome.
# Needs common.sh.

labels=(unit integration realtime bed wine)
declare -A budget=([unit]=20 [integration]=240 [realtime]=120 [bed]=900 [wine]=480 [other]=60) # seconds
known_labels="^($(IFS='|'; echo "${labels[*]}"))\$"

tests_failed=0
tests_over_budget=0
labels_run=0

# select_label LABEL: the arguments of ctest into `selection`; `other` is what has none of the known labels, so that no
# test is ever left out. Realtime and bed tests must not disturb each other.
select_label() {
  local jobs
  jobs=$(nproc)
  case $1 in
    other) selection=(-LE "$known_labels") ;;
    *) selection=(-L "^$1\$") ;;
  esac
  case $1 in realtime | bed) jobs=1 ;; esac
  selection+=(-j "$jobs")
}

# run_label FOLDER LABEL [ctest arguments]: nothing where no test has the label. A test that sets no timeout of its own
# gets 300 s, so that nothing waits for ever.
run_label() {
  local folder=$1 label=$2 log start status=0 seconds verdict=ok
  shift 2
  local selection
  select_label "$label"
  ctest --test-dir "$folder" -N "${selection[@]}" "$@" | grep -q '^Total Tests: 0$' && return 0
  labels_run=$((labels_run + 1))
  log=$folder/test-$label.log
  start=$(milliseconds)
  ctest --test-dir "$folder" --output-on-failure --timeout 300 "${selection[@]}" "$@" >"$log" 2>&1 </dev/null || status=$?
  seconds=$(seconds_since "$start")
  if ((status != 0)); then
    tests_failed=1
    verdict=failed
    sed '/tests passed, /,$d' "$log" | tail -n 100
  fi
  sed -n '/tests passed, /,$p' "$log" | grep -v '^ *$' || tail -n 5 "$log"
  if ((${seconds%.*} >= budget[$label])); then
    tests_over_budget=1
    verdict+=", over its budget of ${budget[$label]} s"
  fi
  printf '%-12s %7s s  %s\n\n' "$label" "$seconds" "$verdict"
}
