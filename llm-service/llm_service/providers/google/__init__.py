"""The google-native backend: Gemini through the google-genai SDK."""
