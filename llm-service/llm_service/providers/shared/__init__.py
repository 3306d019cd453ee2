"""What every backend needs that calls a real provider: names, retries, limits, credentials."""
