/** What a run was made with. @import { RunRecord, Table } from '../../types.js' */
import { count, NONE, percent } from '../../shared/format.js'
import { column } from '../table.js'

/** @param {RunRecord['environment']['hosts']} hosts
 * @returns {string[][]} the machines that took part beside the one that led */
const hostRows = hosts => hosts
  ? [
      ...hosts.server === null ? [] : [['served on', hosts.server]],
      ...hosts.load.map(({ name, node, cpu, kernel }) =>
        ['load made on', `${name}: ${cpu.model}, ${cpu.cores} cores, ${kernel}, Node ${node}`])
    ]
  : []

/** @param {RunRecord} record @returns {Table<string[]>} what, and its value */
export function environmentTable ({ environment: it, tools, seed, run, startedAt, endedAt }) {
  const cores = (/** @type {number[]} */ list) => list.join(', ') || NONE
  return {
    columns: [
      column({ page: 'what' }, ([what]) => what, { left: true }),
      column({ page: 'value' }, ([, value]) => value, { left: true })
    ],
    rows: [
      ['run', run],
      ['began, ended (UTC)', `${startedAt}, ${endedAt ?? NONE}`],
      ['processor', `${it.cpu.model}, ${it.cpu.cores} cores${it.cpu.virtual ? ', virtual' : ''}`],
      ['governor', it.cpu.governor ?? 'not reported by this system'],
      ...it.cpu.idle === undefined ? [] : [['idle states', it.cpu.idle ?? 'not reported by this system']],
      ['cores', `load ${cores(it.cores.load)}; served ${cores(it.cores.served)}`],
      ['memory', `${count(it.memoryMiB)} MiB`],
      ['system', `${it.platform} ${it.kernel}`],
      ['Node', it.node],
      ...Object.entries(tools).map(([name, version]) => [name, version]),
      ['network',
        it.lab.network === 'namespaces'
          ? 'a private namespace for each topology'
          : `the host's loopback${it.lab.why ? `: ${it.lab.why}` : ''}`],
      ...hostRows(it.hosts),
      ['open files', count(it.limits.openFiles)],
      ['other load',
        `${it.busy.busyShare == null ? '' : `${percent(it.busy.busyShare)} of the cores at work, `}load average ` +
        `${it.busy.loadAverage.toFixed(2)} when it began, ${percent(it.busy.stealShare)} of CPU time taken by other ` +
        'guests'],
      ...Object.entries(it.sysctl).map(([name, value]) => [name, value]),
      ['seed', String(seed)]
    ]
  }
}
