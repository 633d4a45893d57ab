"""Several groupings of one table: the columns are divided into views, each groups the rows."""
