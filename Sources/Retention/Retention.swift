// The nouns and rules of retention; nothing here knows a database, a wire or a clock.
