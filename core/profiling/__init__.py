"""What a table and its groups are like: columns, profiles, where rows stand, what is missing."""
