"""The room ``speak``."""
