// What every process needs besides its work: settings, log lines, metrics, signals, time.
