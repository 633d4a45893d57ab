"""A clinical study: roles and their lock, the groups, how far they hold, the tests, the report."""
