/**
 * Runs the client of a scenario as a child process in the network of an arm, performs the actions that the client
 * requests, and sends readings of the served side to the client.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { getErrorMessage } from '../errors.js'
import { converse, readLastLines } from '../machine/process.js'
import { CpuMeter, deletedFilesMiB, readCpuSeconds, sharedMemoryMiB } from '../machine/probe.js'
import { listNumbers } from '../machine/files/system-files.js'
import { loadPlugin } from '../plan/plugins.js'
import { toRecord } from '../shared/to-record.js'

/** @import { Load, PlayAddress, PlayReading, PlayTarget, Scenario } from '../types.js' */
/** @import { Played } from './play.js' @import { StagedArm } from './types.js' */

const CHILD = fileURLToPath(new URL('../load/generators/play-child.js', import.meta.url))
/** Seconds after its limit at which a play that does not end is killed. */
const GRACE_SECONDS = 10
const LOG = 'play.log'
const HOPS = /** @type {const} */ (['proxy', 'server'])

/**
 * @param {StagedArm} staged
 * @param {{ cores: number[] | null }} options cores: on which the client runs; null: all
 * @returns {Promise<{ played: Played | null, failed: string | null, cpuSeconds: number }>} failed: why there is no
 *   result; cpuSeconds: of the client
 */
export async function runClient (staged, { cores }) {
  const { arm: { load }, dir, network, running } = staged
  const { name, options } = /** @type {NonNullable<Load['scenario']>} */ (load.scenario)
  const { default: scenario } = /** @type {{ default: Scenario }} */ (await loadPlugin('scenario', name))
  const { seconds } = scenario.needs(options)
  const log = join(dir, LOG)
  const child = converse({
    name: `the client of ${name}`, argv: [process.execPath, CHILD], enter: network.enter, cores, log
  })
  const meter = new CpuMeter([child.pid])
  const limit = setTimeout(() => child.ends(0), (seconds + GRACE_SECONDS) * 1000)
  child.stdin.on('error', () => {})
  const send = (/** @type {object} */ value) => child.stdin.write(`${JSON.stringify(value)}\n`)
  send({ scenario: name, options, target: toPlayTarget(staged), seconds, seed: load.seed ?? 1 })
  /** @type {{ played: Played | null, failed: string | null }} */
  let end = { played: null, failed: null }
  for await (const line of createInterface({ input: child.stdout })) {
    const { ask, act, result, failed } = JSON.parse(line)
    if (ask === undefined) {
      end = { played: result ?? null, failed: failed ?? null }
      break
    }
    // Not awaited, because the client may ask for a reading during an action.
    reply(act === undefined ? async () => readServed(running) : () => perform(running, act)).then(value =>
      send({ ask, ...value }))
  }
  const cpuSeconds = meter.seconds()
  meter.close()
  clearTimeout(limit)
  await child.ends(GRACE_SECONDS)
  if (!end.played) end.failed ??= `the client of ${name} ended without a result: ${readLastLines(log, 1)}`
  return { ...end, cpuSeconds }
}

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ value: unknown } | { error: string }>}
 */
const reply = work => work().then(value => ({ value: value ?? null }), error => ({ error: getErrorMessage(error) }))

/**
 * @param {StagedArm['running']} running
 * @param {string} act
 */
async function perform (running, act) {
  if (!running.act) throw new Error(`the topology has no action ${act}`)
  await running.act(act)
}

/**
 * @param {StagedArm['running']} running
 * @returns {PlayReading}
 */
function readServed (running) {
  const pids = running.pids()
  return {
    memoryMiB: toRecord(HOPS, hop => sharedMemoryMiB(pids[hop])),
    cpuSeconds: toRecord(HOPS, hop => [...readCpuSeconds(pids[hop]).values()].reduce((sum, used) => sum + used, 0)),
    openFiles: toRecord(HOPS, hop => pids[hop].reduce((sum, pid) => sum + listNumbers(`/proc/${pid}/fd`).length, 0)),
    temporaryMiB: toRecord(HOPS, hop => deletedFilesMiB(pids[hop]))
  }
}

/**
 * @param {StagedArm} staged
 * @returns {PlayTarget}
 */
const toPlayTarget = ({ arm: { load }, running, target }) => ({
  ...toAddress(target),
  path: load.path,
  headers: load.headers,
  origin: toAddress(running.originTarget)
})

/**
 * @param {{ url: string, socketPath: string | null }} target
 * @returns {PlayAddress}
 */
function toAddress ({ url, socketPath }) {
  const { hostname, port } = new URL(url)
  return { url, socketPath, host: hostname, port: port === '' ? null : Number(port) }
}
