#!/usr/bin/env bash
# Builds Helm into .tarsy/tools for the tests of the chart, and copies the schemas of the custom resources that the chart
# can make. Needs Go. Without this build, the tests use the Helm that HELM names or that is on the PATH; without any, they
# are skipped. Custom resources are then not checked.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/.tarsy/tools
mkdir -p "$tools"
GOBIN=$tools go install -trimpath -ldflags='-s -w' helm.sh/helm/v3/cmd/helm@v3.22.0
"$tools/helm" version --short

schemas=$tools/custom-resources
rm -rf "$schemas"
mkdir "$schemas"
copy() { # module with its version, file in it
  local module
  if ! module=$(go mod download -json "$1"); then
    echo "$module" >&2
    return 1
  fi
  cp --no-preserve=mode "$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' <<<"$module")/$2" "$schemas/"
}
operator=github.com/prometheus-operator/prometheus-operator@v0.85.0
copy "$operator" example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml
copy "$operator" example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml
copy github.com/kedacore/keda/v2@v2.21.0 config/crd/bases/keda.sh_scaledobjects.yaml
copy sigs.k8s.io/gateway-api@v1.6.0 config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
