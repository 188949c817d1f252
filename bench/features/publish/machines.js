/** The machines that several runs were made on (pure). */
import { groupByMachine, haveOneSpeed, isSpeedKnown, toKernelLine } from '../../judge/machines.js'
import { capitalize, listing, plural } from '../../shared/format.js'

/** @import { RunRecord } from '../../types.js' */

/**
 * Reports whether runs are from several machines, or from machines of unknown speed.
 *
 * @param {RunRecord[]} records repeated ones count once
 * @returns {string | null} one sentence; null: one machine whose speed is known, or a single run
 */
export function machinesSentence (records) {
  const runs = [...new Map(records.map(record => [record.run, record])).values()]
  const machines = groupByMachine(runs)
  const unknown = runs.filter(({ environment }) => !isSpeedKnown(environment)).length
  const speeds = groupByMachine(runs, haveOneSpeed).length
  if (runs.length < 2 || (speeds === 1 && unknown === 0)) return null
  const names = [...new Set(machines.map(([record]) => describeMachine(record)))]
  const from = machines.length === 1
    ? `${plural(runs.length, 'run')} on ${names[0]}${speeds > 1 ? ' whose speed changed' : ''}`
    : `${plural(runs.length, 'run')} on ${unknown > 0 ? 'at least ' : ''}${plural(machines.length, 'machine')} ` +
      `(${listing(names)})`
  const speed = unknown > 0 ? `, ${unknown === runs.length ? 'all' : unknown} of unknown speed` : ''
  return `These are ${from}${speed}: rates of different runs are not comparable.`
}

/** @param {RunRecord} record */
const describeMachine = ({ environment: { cpu, kernel, platform } }) =>
  `${cpu.model} with ${plural(cpu.cores, 'core')}, ${capitalize(platform.split(' ')[0])} ${toKernelLine(kernel)}`
