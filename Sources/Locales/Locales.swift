// Which of the supported locales a reader of another locale understands, through ICU.
