// PostgreSQL through libpq: values can only be bound, every wait has a deadline of the client's own.
