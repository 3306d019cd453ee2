"""The LLM service: one streaming gRPC call in front of every model backend."""
