"""The room ``stitch``."""
