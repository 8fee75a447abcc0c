# The libraries of the runner for the preset mingw: built from the distribution's own sources, as it has no Windows
# builds of them. Needs common.sh.

mingw_prefix=$root/build/mingw-prefix
mingw_sources=$root/build/mingw-sources

# apt_sources COMMAND…: apt-get over the system's own mirrors with their sources added; nothing under /etc changes.
apt_sources() {
  apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$mingw_sources/parts" \
    -o Dir::State::Lists="$mingw_sources/lists" -o APT::Get::List-Cleanup=0 "$@"
}

# list_sources: the mirrors of /etc/apt, of both formats, as places of source packages.
list_sources() {
  local file name
  mkdir -p "$mingw_sources/parts" "$mingw_sources/lists/partial"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -e $file ]] || continue
    name=$mingw_sources/parts/$(basename "$file" .list)
    case $file in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$mingw_sources/parts/$(basename "$file")" ;;
      *) sed -n 's/^deb[[:space:]]/deb-src /p' "$file" >"$name.list" ;;
    esac
  done
}

fetch_sources() {
  list_sources
  apt_sources update
  (cd "$mingw_sources" && apt_sources source --only-source yaml-cpp fmtlib spdlog doctest cli11 nlohmann-json3 pugixml)
}

# cross_build NAME [CMake options]: one library into the prefix.
cross_build() {
  local sources
  sources=$(echo "$mingw_sources/$1"-[0-9]*/)
  shift
  cmake -G Ninja -S "$sources" -B "$sources/build-mingw" --toolchain "$root/tools/cmake/mingw_toolchain.cmake" \
    -DMINGW_PREFIX="$mingw_prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$mingw_prefix" "$@" || return
  cmake --build "$sources/build-mingw" --target install
}

build_mingw_prefix() {
  rm -rf "$mingw_prefix" "$mingw_sources"
  mkdir -p "$mingw_prefix/include"
  fetch_sources &&
    cross_build yaml-cpp -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF &&
    cross_build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF &&
    cross_build spdlog -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF -DSPDLOG_BUILD_TESTS=OFF &&
    cross_build doctest -DDOCTEST_WITH_TESTS=OFF &&
    cross_build cli11 -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF -DCLI11_BUILD_DOCS=OFF &&
    cross_build nlohmann-json3 -DJSON_BuildTests=OFF &&
    cross_build pugixml &&
    ln -sfn /usr/include/boost "$mingw_prefix/include/boost" && # headers only, the same for every system
    ln -sfn /usr/include/xxhash.h /usr/include/xxh3.h "$mingw_prefix/include/" &&
    cp "${BASH_SOURCE[0]}" "$mingw_prefix/built-by"
}

# ensure_mingw_prefix: builds it once, and again when this file has changed.
ensure_mingw_prefix() {
  cmp -s "${BASH_SOURCE[0]}" "$mingw_prefix/built-by" && return 0
  command -v apt-get >/dev/null || die 2 "the libraries for Windows are built from Debian's sources, which needs apt-get"
  say "building the libraries for Windows into build/mingw-prefix"
  quietly "$root/build/mingw-prefix.log" build_mingw_prefix
}
