"""The LLM service: one streaming gRPC call in front of every model backend."""

DEFAULT_PORT = "50051"  # port of the service, unless GRPC_PORT or an option says another
