"""The backend that needs neither key nor model: a planner that follows fixed rules."""
