#!/usr/bin/env bash
# Builds the oauth2-proxy that tests of the sign-in put in front of TARSy, into .tarsy/tools: the version that is deployed. Needs
# Go; without it those tests are skipped, unless OAUTH2_PROXY names one or one is on the PATH.
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
