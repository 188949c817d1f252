/**
 * Child that ends what the suite leaves behind where there is no PID namespace to do it: it learns over its standard
 * input of every process group that starts and ends. When that closes, however the suite has ended, those that are left
 * are killed. node: imports only: it is small, and lives as long as the suite.
 */
import { createInterface } from 'node:readline'

const groups = /** @type {Set<number>} */ (new Set())

// What ends the suite must not end this one first.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {})

createInterface({ input: process.stdin }).on('line', line => {
  const group = Number(line.slice(1))
  if (line.startsWith('+')) groups.add(group)
  else groups.delete(group)
}).on('close', () => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
})
