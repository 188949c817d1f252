// Loaded into every test file. Turns a signal into an exit, because exit handlers end the child processes, and a signal
// with its default action would skip them.
for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGHUP', 129], ['SIGTERM', 143]])) {
  process.once(signal, () => process.exit(code))
}
