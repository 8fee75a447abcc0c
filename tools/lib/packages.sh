# Installs what packages.tsv lists and this machine lacks. Known: apt-get and dnf. Asks nothing.
# Needs common.sh.

# is_present PROBE: as written in packages.tsv.
is_present() {
  local what=${1#*:} more=${CMAKE_PREFIX_PATH:-} prefix
  case $1 in
    cmd:*) command -v "$what" >/dev/null ;;
    py:*) /usr/bin/python3 -c "import $what" 2>/dev/null ;;
    inc:*)
      for prefix in /usr /usr/local ${more//[:;]/ }; do
        [[ -e $prefix/include/$what ]] && return 0
      done
      return 1
      ;;
    glob:*)
      for prefix in $what; do
        compgen -G "$prefix" >/dev/null && return 0
      done
      return 1
      ;;
    *) die 2 "packages.tsv: unknown probe '$1'" ;;
  esac
}

# package_manager: apt, dnf, or nothing where neither is known.
package_manager() {
  if command -v apt-get >/dev/null; then
    echo apt
  elif command -v dnf >/dev/null; then
    echo dnf
  fi
}

# missing_packages MANAGER GROUP…: names for that manager (apt's where it is unknown), one a line.
missing_packages() {
  local manager=$1 group probe apt dnf
  shift
  while IFS=$'\t' read -r group probe apt dnf; do
    [[ $group == \#* || " $* " != *" $group "* ]] && continue
    is_present "$probe" && continue
    if [[ $manager == dnf ]]; then echo "$dnf"; else echo "$apt"; fi
  done <"$root/tools/lib/packages.tsv" | sort -u
}

# as_root COMMAND…: directly, or by sudo without a question.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi
}

apt_install() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=400)
  as_root "${apt[@]}" update || true # stale lists may still do; the install says when not
  as_root "${apt[@]}" install --no-install-recommends "$@"
}

dnf_install() { as_root dnf -y -q install "$@"; }

# install_packages MANAGER PACKAGE…: 0 when all are there afterwards.
install_packages() {
  local manager=$1
  shift
  say "installing $*"
  quietly "$root/build/packages.log" "${manager}_install" "$@"
}

# explain_by_hand MANAGER PACKAGE…: what to do where we cannot install.
explain_by_hand() {
  local manager=$1
  shift
  case $manager in
    apt) say "install them once, as root or through sudo, then try again:  apt-get install -y $*" ;;
    dnf) say "install them once, as root or through sudo, then try again:  dnf install -y $*" ;;
    *)
      say "this system has neither apt-get nor dnf; install what holds these (Debian's names), then try again:"
      printf '  %s\n' "$@" >&2
      ;;
  esac
}

# require_group GROUP: installs what is missing or ends with status 2.
require_group() {
  local manager missing
  manager=$(package_manager)
  mapfile -t missing < <(missing_packages "$manager" "$1")
  ((${#missing[@]} == 0)) && return 0
  if [[ -z $manager ]]; then
    say "missing for '$1': ${missing[*]}"
  elif ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
    say "missing for '$1', and installing needs root (sudo -n is refused): ${missing[*]}"
  elif install_packages "$manager" "${missing[@]}"; then
    return 0
  fi
  explain_by_hand "$manager" "${missing[@]}"
  exit 2
}

# want_group GROUP: the same for optional packages; goes on without them and says so.
want_group() {
  (require_group "$1") && return 0
  say "going on without the optional packages of '$1'"
}

# ensure_packages STAMP GROUP…: looks only when STAMP is missing or older than the table, so that it costs nothing
# later. Sets installed_something to 1 when the build folder has to look again.
ensure_packages() {
  local stamp=$1 group
  shift
  installed_something=0
  [[ -e $stamp && $stamp -nt $root/tools/lib/packages.tsv ]] && return 0
  installed_something=1
  for group in "$@"; do
    if [[ $group == engines ]]; then want_group "$group"; else require_group "$group"; fi
  done
  mkdir -p "$(dirname "$stamp")"
  : >"$stamp"
}
