/**
 * Reads hostile inputs in a process of its own: `node reader.js FOLDER FIRST END STEP`. Writes a line of JSON to file
 * descriptor 3 before and after each case, so that the watchdog can name the case at which this process hangs or dies.
 */
import { writeSync } from 'node:fs'
import { findErrorFaults, findOutputFaults } from './checks.js'
import { makeCase } from './cases.js'
import { makeSandbox } from './sandbox.js'

/** @import { Case } from './stored-places.js' */

const REPORTS = 3
/** Most CPU time of a case. Its wall time depends on what else the machine does; the watchdog limits that. */
const MAX_SECONDS = 5
const [folder, first, end, step] = process.argv.slice(2)
const sandbox = makeSandbox(folder)
const report = (/** @type {object} */ line) => { writeSync(REPORTS, `${JSON.stringify(line)}\n`) }

/** Unhandled rejections since the last report, which asynchronous work of a case can cause. @type {unknown[]} */
const later = []
process.on('unhandledRejection', error => { later.push(error) })

/**
 * Reads a case and checks the outcome.
 * @param {Case} hostile
 * @returns {Promise<{ outcome: string, faults: string[], seconds: number }>}
 */
async function readCase ({ read }) {
  const before = process.cpuUsage()
  let outcome = 'read'
  const faults = await read().then(output => {
    if (output.isRefused) outcome = 'refused'
    return findOutputFaults(output)
  }, error => {
    outcome = 'refused'
    return findErrorFaults(error)
  })
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  const planted = sandbox.settle()
  return { outcome, faults: planted === null ? faults : [...faults, `it changes other files: ${planted}`], seconds }
}

/** Makes, reads and reports a case. @param {number} number */
async function readNumber (number) {
  const hostile = makeCase(number, sandbox)
  report({ number, place: hostile.place, mutation: hostile.mutation })
  const { outcome, faults, seconds } = await readCase(hostile)
  if (seconds > MAX_SECONDS) faults.push(`it takes ${seconds.toFixed(1)} s of CPU time`)
  faults.push(...later.splice(0).flatMap(error => [`later, ${findErrorFaults(error)[0] ?? error}`]))
  report({ number, outcome, faults, seconds })
}

try {
  for (let number = Number(first); number < Number(end); number += Number(step)) await readNumber(number)
  process.exit()
} catch (error) {
  console.error(error)
  process.exit(1)
}
