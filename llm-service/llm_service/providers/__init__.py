"""The backends: each one answers a request with a stream of deltas (pieces of the answer)."""
