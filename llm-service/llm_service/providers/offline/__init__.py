"""The backend without a model: fixed rules choose read-only tools and quote their output."""
