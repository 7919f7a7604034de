// What Apple sends and expects: signed data in, real-time answers and offer signatures out.
