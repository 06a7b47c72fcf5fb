"""The room ``check``."""
