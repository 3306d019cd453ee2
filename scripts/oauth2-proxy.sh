#!/usr/bin/env bash
# Builds oauth2-proxy, in the deployed version, into .tarsy/tools for the sign-in tests. Needs Go. Without it those tests are
# skipped unless OAUTH2_PROXY names a binary or the PATH has one.
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
