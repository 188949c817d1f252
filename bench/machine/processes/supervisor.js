/**
 * Kills the process groups that remain after the suite has ended, where no PID namespace does. Reads the start and end
 * of each group from stdin; when stdin closes, kills the groups that are left. Imports only node: modules, to be small,
 * because it runs as long as the suite.
 */
import { createInterface } from 'node:readline'

/** @type {Set<number>} */
const groups = new Set()

// Signals that end the suite must not end the supervisor first.
process.on('SIGINT', () => {}).on('SIGTERM', () => {}).on('SIGHUP', () => {})

createInterface({ input: process.stdin }).on('line', line => {
  const group = Number(line.slice(1))
  if (line.startsWith('+')) groups.add(group)
  else groups.delete(group)
}).on('close', () => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
})
