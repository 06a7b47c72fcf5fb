"""Scripts that print measured figures; never run by the tests."""
