#!/bin/sh
exec "$SRC/attest/fuzz/oss-fuzz/build.sh"
