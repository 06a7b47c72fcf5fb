"""The room ``publish``."""
