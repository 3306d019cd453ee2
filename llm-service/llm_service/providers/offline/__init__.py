"""The backend without a model: fixed rules choose tools that only read, quote what they answer, and say so."""
