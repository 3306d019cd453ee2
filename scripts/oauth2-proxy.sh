#!/usr/bin/env bash
# Builds the deployed version of oauth2-proxy into .tarsy/tools for the sign-in tests. Needs Go. Without this build, the
# tests use the binary that OAUTH2_PROXY names or that is on the PATH; without any, they are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v7.15.4
source=$(go mod download -json "github.com/oauth2-proxy/oauth2-proxy/v7@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp -r "$source/." "$build"
chmod -R u+w "$build"
mkdir -p .tarsy/tools
target=$PWD/.tarsy/tools/oauth2-proxy
(cd "$build" && go build -o "$target" .)
"$target" --version
