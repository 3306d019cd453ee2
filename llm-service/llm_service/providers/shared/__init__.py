"""Shared by the backends of real providers: conversations, answers, tools, retries, limits and failures."""
