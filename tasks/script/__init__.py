"""The room ``script``."""
