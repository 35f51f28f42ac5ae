#!/bin/sh
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask: into $OUT each target, its seed corpus
# (TARGET_seed_corpus.zip) and its options (TARGET.options). By hand, from the top folder:
#
#   CC=clang CXX=clang++ CFLAGS='-O1 -fsanitize=address,fuzzer-no-link' \
#     CXXFLAGS='-O1 -fsanitize=address' LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#     OUT=/tmp/out fuzz/oss-fuzz/build.sh [TARGET...]
#
# SRC      the folder with the checkout, attest, where this file lies outside of one, and with the
#          source of libzip, which the distributions have as a shared library only
# WORK     objects (a folder in build)
# SANITIZER=memory: only the targets that need no library, since all code has to be instrumented
set -eu
top=$(dirname "$0")/../..
[ -e "$top/fuzz/rules.mk" ] || top=$SRC/attest
cd "$top"
WORK=${WORK:-build/oss-fuzz}
mkdir -p "$WORK" "$OUT"
WORK=$(cd "$WORK" && pwd)
# As fuzz/build: comparisons of integers tell nothing here. Unsigned arithmetic wraps on purpose in the
# targets; in ref/ and fixed/ it is proved not to.
CFLAGS="$CFLAGS -fno-sanitize-coverage=trace-cmp -fno-sanitize=unsigned-integer-overflow"
export CFLAGS
CXXFLAGS=${CXXFLAGS:-$CFLAGS}

plain=
if [ "${SANITIZER:-}" = memory ]; then
  plain=FUZZ_WITHOUT_ORACLE=1
elif [ -n "${SRC:-}" ] && [ -d "$SRC/libzip" ]; then
  cmake -S "$SRC/libzip" -B "$WORK/libzip" -DCMAKE_INSTALL_PREFIX="$WORK/installed" \
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF \
    -DBUILD_EXAMPLES=OFF -DBUILD_OSSFUZZ=OFF -DBUILD_DOC=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF \
    -DENABLE_ZSTD=OFF -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
    -DENABLE_COMMONCRYPTO=OFF >/dev/null
  cmake --build "$WORK/libzip" -j "$(nproc)" --target install >/dev/null
  CFLAGS="$CFLAGS -I$WORK/installed/include"
fi

# static NAME...: each library's archive, where there is one; nothing of the builder's system but the
# C library is on the machines that run the targets.
static() {
  for name; do
    archive=$WORK/installed/lib/lib$name.a
    [ -e "$archive" ] || archive=$($CC -print-file-name="lib$name.a")
    case $archive in
      /*) echo "$archive" ;;
      *) echo "-l$name" ;;
    esac
  done
}

# run ARGUMENTS...: make with this compiler, engine and libraries. The shipped build has no variants
# for vector widths and no threads.
run() {
  # shellcheck disable=SC2016,SC2086 # make's variables; $plain is nothing or one word
  make --no-print-directory BUILD="$WORK/build" WARN=-std=c99 OPT= SANITIZE= ISAS= OPENMP= \
    FUZZ_MAIN=fuzzer $plain CXX="$CXX" CXXFLAGS="$CXXFLAGS" ENGINE="$LIB_FUZZING_ENGINE" \
    FUZZ_BIN='$(CXX) $(CXXFLAGS) -o $@ $^ $(ENGINE) $(FUZZ_LINK)' \
    TOOL_LIBS="$(static mpfi mpfr gmp jansson protobuf-c nettle png | tr '\n' ' ')" \
    HOST_LIBS="$(static zip z | tr '\n' ' ') -lm" "$@"
}

# shellcheck disable=SC2016 # make's variable
names=$(run -s --eval 'names: ; @echo $(if $(FUZZ_WITHOUT_ORACLE),$(FUZZ_PLAIN),$(FUZZ_TARGETS))' names)
targets=${*:-$names}
# shellcheck disable=SC2046 # one word a target
run -j "$(nproc)" $(for target in $targets; do echo "$WORK/build/fuzz/$target"; done)

for target in $targets; do
  cp "$WORK/build/fuzz/$target" "$OUT/"
  rm -f "$OUT/${target}_seed_corpus.zip"
  if [ -n "$(ls "fuzz/corpus/$target" 2>/dev/null)" ]; then
    (cd "fuzz/corpus/$target" && find . -type f | sort | zip -q -X -@ -) \
      >"$OUT/${target}_seed_corpus.zip"
  fi
  { echo '[libfuzzer]'; sh fuzz/options "$target" | tr ' ' '\n' | sed 's/^-//; s/=/ = /'; } \
    >"$OUT/$target.options"
done
