"""Backends: each turns one request into a stream of deltas."""
