#!/usr/bin/env bash
# Generates the TypeScript types and the Python code of proto/llm_service.proto. The engine loads the .proto itself.
#
#   scripts/generate-proto.sh           writes the committed files
#   scripts/generate-proto.sh --check   writes nothing; fails if the committed files are out of date
#
# Needs node_modules (protoc-gen-ts_proto) and a Python with llm-service/requirements-dev.lock installed. The lock file
# pins protoc, so that every machine generates the same bytes. The environment variable PYTHON names the interpreter:
#   PYTHON=... (default .tarsy/python-dev/bin/python)
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

check=false
case "${1:-}" in
  "") ;;
  --check) check=true ;;
  *)
    echo "usage: scripts/generate-proto.sh [--check]" >&2
    exit 2
    ;;
esac

python="${PYTHON:-.tarsy/python-dev/bin/python}"
if ! "$python" -c 'import grpc_tools, mypy_protobuf' 2>/dev/null; then
  echo "generate-proto: $python lacks the development packages; run: python3 -m venv .tarsy/python-dev && .tarsy/python-dev/bin/pip install --no-deps --require-hashes --only-binary :all: -r llm-service/requirements-dev.lock" >&2
  exit 1
fi
ts_plugin="node_modules/.bin/protoc-gen-ts_proto"
if [ ! -e "$ts_plugin" ]; then
  echo "generate-proto: $ts_plugin is missing; run: npm ci" >&2
  exit 1
fi
# The TypeScript plugin starts through `#!/usr/bin/env node`, which must find the project's own node first.
PATH="$root/node_modules/.bin:$PATH"
python_bin="$("$python" -c 'import sysconfig; print(sysconfig.get_path("scripts"))')"

ts_dir="src/engine/model/gen"
py_dir="llm-service/llm_service/proto"
ts_files=(llm_service.ts)
py_files=(llm_service_pb2.py llm_service_pb2.pyi llm_service_pb2_grpc.py llm_service_pb2_grpc.pyi)

out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT
mkdir -p "$out/ts" "$out/py"

"$python" -m grpc_tools.protoc \
  -I proto \
  --plugin="protoc-gen-ts_proto=$ts_plugin" \
  --ts_proto_out="$out/ts" \
  --ts_proto_opt=onlyTypes=true,outputServices=none,enumsAsLiterals=true,unrecognizedEnum=false,env=node \
  proto/llm_service.proto

# Maps proto/ to llm_service/proto, so that the generated modules import each other by package path.
# Otherwise these imports would work only with the generated folder on sys.path.
"$python" -m grpc_tools.protoc \
  -I llm_service/proto=proto \
  --plugin="protoc-gen-mypy=$python_bin/protoc-gen-mypy" \
  --plugin="protoc-gen-mypy_grpc=$python_bin/protoc-gen-mypy_grpc" \
  --python_out="$out/py" \
  --grpc_python_out="$out/py" \
  --mypy_out="quiet:$out/py" \
  --mypy_grpc_out="quiet:$out/py" \
  proto/llm_service.proto

stale=()
place() { # generated file, committed file
  if $check; then
    cmp -s "$1" "$2" || stale+=("$2")
  else
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2"
  fi
}
for file in "${ts_files[@]}"; do place "$out/ts/$file" "$ts_dir/$file"; done
for file in "${py_files[@]}"; do place "$out/py/llm_service/proto/$file" "$py_dir/$file"; done

if [ "${#stale[@]}" -gt 0 ]; then
  echo "generate-proto: out of date, run scripts/generate-proto.sh: ${stale[*]}" >&2
  exit 1
fi
