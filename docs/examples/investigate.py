"""Submits an alert, follows its investigation to the end and prints the analysis.

TARSY_URL=http://127.0.0.1:8080 python3 docs/examples/investigate.py "Disk almost full on web-1"
Nothing but Python 3.9 or newer is needed. TARSY_TOKEN is sent as a bearer token, if set.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("TARSY_URL", "http://127.0.0.1:8080") + "/graphql"
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"}

SUBMIT = """mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) {
  ... on SubmitAlertSuccess { session { id } } ... on Error { code message } } }"""
EVENTS = """subscription ($id: ID!) { sessionEvents(sessionId: $id) {
  __typename cursor
  ... on SessionStatusChanged { session { status } }
  ... on TimelineEventCompleted { timelineEvent { type content } } } }"""
ANALYSIS = "query ($id: ID!) { session(id: $id) { status finalAnalysis errorMessage } }"


def send(document, variables, **headers):
    """Returns the open response; its body is JSON, or a stream of events if `Accept` requests one."""
    body = json.dumps({"query": document, "variables": variables}).encode()
    headers = {"Content-Type": "application/json", **headers}
    if token := os.environ.get("TARSY_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    return urllib.request.urlopen(urllib.request.Request(URL, body, headers))


def query(document, variables):
    with send(document, variables) as response:
        answer = json.load(response)
    if answer.get("errors"):
        raise SystemExit(answer["errors"])
    return answer["data"]


def follow(session_id):
    """Yields all events; resumes from the last cursor after a lost connection."""
    cursor = None
    while True:
        try:
            since = {"Last-Event-ID": cursor} if cursor else {}
            with send(EVENTS, {"id": session_id}, Accept="text/event-stream", **since) as stream:
                for raw in stream:
                    field, _, value = raw.decode().rstrip("\n").partition(": ")
                    if field == "id":
                        cursor = value
                    elif field == "event" and value == "complete":
                        return
                    elif field == "data" and value:
                        result = json.loads(value)
                        if result.get("errors"):
                            raise SystemExit(result["errors"])
                        yield result["data"]["sessionEvents"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{error.code}: {error.read().decode()}") from error
        except (OSError, http.client.HTTPException):
            pass  # connection lost: reconnect from the cursor
        time.sleep(1)


def main():
    alert = sys.argv[1] if len(sys.argv) > 1 else "Disk almost full: / above 90%"
    submitted = query(SUBMIT, {"input": {"data": alert}})["submitAlert"]
    if "session" not in submitted:
        raise SystemExit(submitted["message"])
    session_id = submitted["session"]["id"]
    print("session", session_id)
    for event in follow(session_id):
        if "timelineEvent" in event:
            print(f"{event['timelineEvent']['type']}: {event['timelineEvent']['content']}")
        if event.get("session", {}).get("status") in ENDED:
            break
    session = query(ANALYSIS, {"id": session_id})["session"]
    print("status", session["status"])
    print("analysis:", session["finalAnalysis"] or session["errorMessage"])


main()
