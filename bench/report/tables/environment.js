/** The machine, the programs and the conditions of a run. */
import { computeTurnSeconds } from '../../plan/targets.js'
import { count, isNumber, NONE, percent } from '../../shared/format.js'
import { describeProcessor, describeSpeed } from '../../shared/machine-words.js'
import { column } from '../table.js'

/** @import { RunRecord, Table } from '../../types.js' */

/** Names the process that was busiest when the run began. @param {RunRecord['environment']['busy']} busy */
const nameBusiest = ({ process }) => process ? ` (${process.name} ${percent(process.share)})` : ''

/**
 * Prints the length of a turn of an arm, and the share of it that cold caches take.
 *
 * @param {number} lossMs
 * @param {RunRecord['environment']['cores']} cores
 */
function describeTurns (lossMs, { load, served }) {
  const ms = computeTurnSeconds(lossMs, load.some(core => served.includes(core)) ? 'shared' : 'split') * 1000
  return `${count(Math.round(ms))} ms, of which cold caches take ${percent(Math.max(0, lossMs) / ms)}`
}

/**
 * @param {RunRecord} record
 * @returns {Table<string[]>} rows: name and value
 */
export function environmentTable ({ environment, tools, timing, ...record }) {
  const { seed, run, startedAt, endedAt } = record
  const { cpu, calibration, turnLossMs, cores, memoryMiB, platform, kernel, node } = environment
  const { lab, hosts, limits, busy, sysctl } = environment
  const list = (/** @type {number[]} */ numbers) => numbers.join(', ') || NONE
  return {
    columns: [
      column({ page: 'property' }, ([name]) => name, { left: true }),
      column({ page: 'value' }, ([, value]) => value, { left: true })
    ],
    rows: [
      ['run', run],
      ['began, ended (UTC)', `${startedAt}, ${endedAt ?? NONE}`],
      ['processor', `${describeProcessor(cpu)}, ${cpu.cores} cores${cpu.virtual ? ', virtual' : ''}`],
      ...calibration ? [['speed of one core', describeSpeed(calibration)]] : [],
      ...isNumber(turnLossMs) ? [['turns', describeTurns(turnLossMs, cores)]] : [],
      ['governor', cpu.governor ?? 'not reported by this system'],
      ...cpu.idle === undefined ? [] : [['idle states', cpu.idle ?? 'not reported by this system']],
      ['cores', `load ${list(cores.load)}; served ${list(cores.served)}`],
      ['memory', `${count(memoryMiB)} MiB`],
      ['system', `${platform} ${kernel}`],
      ['Node', node],
      ...Object.entries(tools).map(([name, version]) => [name === 'node' ? 'Node of the servers' : name, version]),
      ['network',
        lab.network === 'namespaces'
          ? 'a private namespace for each topology' +
            (lab.congestionControl ? `, TCP congestion control ${lab.congestionControl}` : '')
          : `the host's loopback${lab.why ? `: ${lab.why}` : ''}`],
      ...(hosts?.load ?? []).map(({ name, cpu, kernel }) =>
        ['load made on', `${name}: ${cpu.model}, ${cpu.cores} cores, ${kernel}`]),
      ['open files', count(limits.openFiles)],
      ['other load',
        `${busy.busyShare == null ? '' : `${percent(busy.busyShare)} of the cores at work${nameBusiest(busy)}, `}` +
        `load average ${busy.loadAverage.toFixed(2)} when it began, ${percent(busy.stealShare)} of CPU time taken by ` +
        'other guests'],
      ...timing.stealShare === undefined
        ? []
        : [['other load of the run', `${percent(timing.stealShare)} of CPU time taken by other guests` +
          (timing.runQueue === undefined ? '' : `, ${timing.runQueue.toFixed(1)} threads running between blocks`)]],
      ...Object.entries(sysctl).map(([name, value]) => [name, value]),
      ['seed', String(seed)]
    ]
  }
}
