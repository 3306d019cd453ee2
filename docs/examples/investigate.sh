#!/bin/sh
# Submits an alert, follows its investigation to the end and prints the analysis, with curl alone.
#   TARSY_URL=http://127.0.0.1:8080 sh docs/examples/investigate.sh "Disk almost full on web-1"
set -eu
url="${TARSY_URL:-http://127.0.0.1:8080}/graphql"

# Prints a text as a JSON string: escapes backslashes, quotes, tabs and line breaks, drops other control characters.
quoted() {
  printf '"'
  printf '%s' "$1" | tr -d '\001-\010\013-\014\016-\037' | tr '\t\r' '\001\002' |
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$(printf '\001')/\\\\t/g" -e "s/$(printf '\002')/\\\\r/g" |
    awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }'
  printf '"'
}

# graphql BODY [OPTION…]: sends a request; curl replaces the subshell. JSON strings must be on one line.
# TARSY_TOKEN is sent as a bearer token, if set. curl reads it from its standard input, because arguments are public.
graphql() {
  body=$(printf '%s' "$1" | tr '\n' ' ')
  shift
  exec curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' --header @- \
    --data "$body" "$@" "$url" <<HEADERS
${TARSY_TOKEN:+Authorization: Bearer $TARSY_TOKEN}
HEADERS
}

alert=$(quoted "${1:-Disk almost full: / above 90%}")
submitted=$(graphql "{\"query\": \"mutation (\$input: SubmitAlertInput!) { submitAlert(input: \$input) {
  ... on SubmitAlertSuccess { session { id } } ... on Error { code message } } }\",
  \"variables\": {\"input\": {\"data\": $alert}}}") || { printf '%s\n' "$submitted" >&2; exit 1; }
id=$(printf '%s' "$submitted" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
[ -n "$id" ] || { printf '%s\n' "$submitted" >&2; exit 1; }
echo "session $id"

# The stream does not end by itself, because users can ask questions about an ended session. After a lost connection,
# resume with the header Last-Event-ID and the last received id.
events=$(mktemp -u)
mkfifo "$events"
graphql "{\"query\": \"subscription (\$id: ID!) {
  sessionEvents(sessionId: \$id) { cursor ... on SessionStatusChanged { session { status } } } }\",
  \"variables\": {\"id\": \"$id\"}}" --no-buffer --header 'Accept: text/event-stream' > "$events" &
stream=$!
sed -n '/"status":"\(COMPLETED\|FAILED\|CANCELLED\|TIMED_OUT\)"/q' "$events"
kill "$stream" 2>/dev/null || true
rm "$events"

answer=$(graphql "{\"query\": \"query (\$id: ID!) { session(id: \$id) { status finalAnalysis errorMessage } }\",
  \"variables\": {\"id\": \"$id\"}}")
printf '%s\n' "$answer"
