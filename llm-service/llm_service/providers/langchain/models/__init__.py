"""One module for each provider SDK. Each is imported when its first call comes: an import takes seconds."""
