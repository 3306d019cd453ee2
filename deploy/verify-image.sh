#!/usr/bin/env bash
# Performs the steps of both Containerfiles without a container engine, starts the results like restricted containers, and
# lets them investigate alerts. Needs only `npm ci`; confines processes only when run as root.
set -euo pipefail
cd "$(dirname "$0")/.."
node=node
for pinned in node_modules/node-linux-{x64,arm64}/bin/node; do
  if [ -x "$pinned" ]; then node=$pinned; fi
done
exec "$node" --disable-warning=ExperimentalWarning scripts/image/verify.ts
