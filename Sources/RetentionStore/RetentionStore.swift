// The domain in PostgreSQL: one file per group of tables, SQL where it runs.
