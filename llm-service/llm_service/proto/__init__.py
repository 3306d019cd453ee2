"""Generated from proto/llm_service.proto by scripts/generate-proto.sh."""
