"""What OpenAI says in an error: the SDK's own shape holds all of it."""

from llm_service.providers.shared.sdk import sdk_said as said

__all__ = ["said"]
