# Configures and builds a preset into build/PRESET, quietly, and only when there is something to do.
# Needs common.sh and packages.sh.

# check_cmake: says it plainly where the distribution's CMake is too old for this project.
check_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]] && return 0
  say "cmake $version is here, 3.25 or newer is needed"
  die 2 "this distribution's is too old: install a newer one (for example 'pipx install cmake'), have it first in PATH, try again"
}

# cache_has PRESET NAME=VALUE: is it configured so already?
cache_has() { grep -qs "^${2%%=*}:[A-Z]*=${2#*=}\$" "$root/build/$1/CMakeCache.txt"; }

# configure PRESET [NAME=VALUE]…: cache variables that must hold.
configure() {
  local preset=$1 setting must=0
  shift
  [[ -e $root/build/$preset/build.ninja && $installed_something == 0 ]] || must=1
  for setting in "$@"; do cache_has "$preset" "$setting" || must=1; done
  ((must == 0)) && return 0
  check_cmake
  say "configuring build/$preset"
  quietly "$root/build/$preset.log" cmake -S "$root" --preset "$preset" "${@/#/-D}"
}

# announce PRESET: passes the build's output on; says when there is real work, and how far it is.
announce() {
  local line told=-1 tenth
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Building|Linking|Generating|Re-running) ]] || continue
    ((told >= 0)) || say "building build/$1, which takes some minutes the first time (log: build/$1.log)"
    tenth=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
    if ((tenth > told && tenth > 0 && tenth < 10)); then say "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps"; fi
    told=$tenth
  done
}

# build PRESET TARGET…: log in build/PRESET.log, its end shown on failure.
build() {
  local preset=$1 log=$root/build/$1.log
  shift
  cmake --build "$root/build/$preset" --target "$@" 2>&1 </dev/null | announce "$preset" >"$log" && return 0
  say "the build of $preset failed; the end of build/$preset.log:"
  tail -n 60 "$log" >&2
  return 1
}

# one_at_a_time: two commands in one tree wait for each other; the lock ends with the process or with unlock.
one_at_a_time() {
  command -v flock >/dev/null || return 0
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock"
  flock 9
}

unlock() { exec 9>&-; }
