// Loaded into every test: one that is ended from outside exits, so that what it had started is ended, too. By default a
// signal leaves no time for that.
for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGHUP', 129], ['SIGTERM', 143]])) {
  process.once(signal, () => process.exit(code))
}
