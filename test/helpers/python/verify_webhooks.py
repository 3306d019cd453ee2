"""Verifies deliveries with the `standardwebhooks` package, as a receiver written in Python does.

Reads a JSON list of `{secret, headers, body}` from stdin. Writes a JSON list: true for each valid delivery, else false.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def is_valid(delivery: dict) -> bool:
    try:
        Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    except WebhookVerificationError:
        return False
    return True


json.dump([is_valid(delivery) for delivery in json.load(sys.stdin)], sys.stdout)
