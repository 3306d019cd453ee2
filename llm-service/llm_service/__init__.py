"""The LLM service: one streaming gRPC call in front of every model provider."""

DEFAULT_PORT = "50051"  # used unless GRPC_PORT or --port names another port
