// One HTTP request, one answer, over libcurl: bounded in time and size, no redirects.
