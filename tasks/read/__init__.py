"""The room ``read``."""
