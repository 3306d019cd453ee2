"""Backend "langchain": every provider that LangChain has a chat model for."""
