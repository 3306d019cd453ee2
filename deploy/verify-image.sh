#!/usr/bin/env bash
# Does the steps of both Containerfiles without a container engine, starts what they make as restricted containers are
# started, and has it investigate alerts. Needs no more than `npm ci`; confines processes only where it runs as root.
set -euo pipefail
cd "$(dirname "$0")/.."
node=node
for pinned in node_modules/node-linux-{x64,arm64}/bin/node; do
  if [ -x "$pinned" ]; then node=$pinned; fi
done
exec "$node" --disable-warning=ExperimentalWarning scripts/image/verify.ts
