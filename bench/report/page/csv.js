/** Runs as CSV, for spreadsheets (pure). */
import { withoutControls } from '../../errors.js'
import { toRecord } from '../../shared/group-by.js'
import { isOfApp } from '../latencies.js'
import { getKnownPercentile, toShown } from '../open-loop.js'
import { toCsv } from './csv-text.js'

/** @import { OpenLoop, RunRecord, Sample } from '../../types.js' */

/**
 * Returns a column for each property of a part of a row.
 * @param {string} part
 * @param {string[]} names
 * @param {string} [suffix] appended to the name in the heading
 */
const columnsOf = (part, names, suffix = '') =>
  names.map(name => ({ key: `${part}.${name}`, header: `${name}${suffix}` }))

const ERRORS = columnsOf('errors', ['non2xx', 'timeouts', 'resets', 'mismatches'])
const MEMORY = columnsOf('memoryMiB', ['proxy', 'server'], 'MiB')
const INVALID = { key: 'invalid.code', header: 'invalid' }

const SAMPLE_COLUMNS = [
  'arm', 'block', 'startedAt', { key: 'requests', header: 'count' }, 'seconds', { key: 'rps', header: 'perSecond' },
  ...ERRORS,
  ...columnsOf('cpuSeconds', ['load', 'proxy', 'server', 'idle'], 'CpuSeconds'),
  ...MEMORY,
  ...columnsOf('proof', ['upstreamConnectionsPerRequest', 'cacheHitRatio', 'socketType']),
  INVALID
]

const ARM_COLUMNS = [
  { key: 'name', header: 'arm' }, { key: 'spec', header: 'topology' }, 'trials',
  { key: 'invalidTrials.length', header: 'invalidTrials' },
  { key: 'rps.median', header: 'perSecond' }, ...columnsOf('rps', ['low', 'high']),
  ...ERRORS,
  ...columnsOf('cpuMicrosPerRequest', ['load', 'proxy', 'server'], 'Micros'),
  ...MEMORY,
  'bytesPerResponse', { key: 'bound', header: 'limitedBy' }, INVALID
]

const OPEN_LOOP_COLUMNS = [
  ...['rate', 'sustained', 'answeredPerSecond'].map(key =>
    ({ key: `openLoop.${key}`, header: `openLoop${key[0].toUpperCase()}${key.slice(1)}` })),
  ...['p50', 'p90', 'p99'].map(key => ({ key: `openLoop.${key}`, header: `openLoop${key.toUpperCase()}Ms` }))
]

const KIND_COLUMNS = ['app', 'files'].flatMap(kind => ['responses', 'p50', 'p99'].map(key => ({
  key: `latencyByKind.${kind}.${key}`, header: `${kind}${key[0].toUpperCase()}${key.slice(1)}`
})))

/**
 * Prints a line for each trial.
 * @param {Sample[]} samples
 */
export const samplesCsv = samples => withoutControls(toCsv(samples, SAMPLE_COLUMNS))

/**
 * Prints the figures of users, a line for each second of each trial.
 * @param {Sample[]} samples
 * @returns {string | null} null: the run had no users
 */
export function usersCsv (samples) {
  const lines = samples.flatMap(({ arm, block, users = [] }) => users.map(point => ({ arm, block, ...point })))
  return lines.length === 0 ? null : withoutControls(toCsv(lines, Object.keys(lines[0])))
}

/**
 * Prints a line for each arm.
 * @param {RunRecord} record
 */
export function tableCsv ({ arms, openLoop }) {
  const rows = arms.map(arm => ({ ...arm, openLoop: openLoop && findOpenLoop(openLoop, arm.name) }))
  const columns = [...ARM_COLUMNS, ...isOfApp(arms) ? KIND_COLUMNS : [], ...openLoop ? OPEN_LOOP_COLUMNS : []]
  return withoutControls(toCsv(rows, columns))
}

/**
 * Returns the figures of an arm in the open loop. The twin has none.
 * @param {OpenLoop} openLoop
 * @param {string} name
 */
function findOpenLoop ({ rate, arms }, name) {
  const arm = arms.find(other => other.name === name)
  return arm && { rate, ...arm, ...toRecord(['p50', 'p90', 'p99'], key => getKnownPercentile(toShown(arm), key)) }
}
