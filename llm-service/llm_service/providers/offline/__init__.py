"""The backend without a model: fixed rules choose tools, almost all read-only, and quote their output."""
