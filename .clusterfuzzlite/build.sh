#!/usr/bin/env bash
# Builds the fuzz targets for ClusterFuzzLite and OSS-Fuzz, in whose image it runs: into
# $OUT, by compile_native_go_fuzzer_v2, each as PACKAGE_TARGET with its dictionary. Those
# of the dialects read their seeds from files, which are not there where targets run.
set -euo pipefail

module=$(go list -m)
bash scripts/fuzz list | while read -r folder target; do
	case $folder in dialect/*) continue ;; esac
	name=${folder//\//_}_$target
	compile_native_go_fuzzer_v2 "$module/$folder" "$target" "$name"
	case $target in
	*Postgres) cp fuzz/testdata/postgres.dict "$OUT/$name.dict" ;;
	*MySQL | *MariaDB | FuzzComments) cp fuzz/testdata/mysql.dict "$OUT/$name.dict" ;;
	FuzzTokens | FuzzLint | FuzzCommandLine) cat fuzz/testdata/*.dict >"$OUT/$name.dict" ;;
	esac
done
