/** Whether runs are from machines of one kind and speed (pure). */
import { count, plural } from '../shared/format.js'
import { CALIBRATION_BOUNDS } from '../shared/thresholds.js'

/** @import { Calibration, Environment } from '../types.js' */

/** @typedef {{ what: string, before: string, after: string }} Difference */

/**
 * Facts by name. null or undefined: unknown.
 *
 * @template [T=Environment]
 * @typedef {Record<string, (source: T) => unknown>} Facts
 */

/**
 * Facts of a machine. Node and the programs are excluded, because a comparison can be about their versions.
 *
 * @type {Facts}
 */
const MACHINE_FACTS = {
  'cpu model': ({ cpu }) => cpu.model,
  'cpu family': ({ cpu }) => cpu.family,
  'cpu model number': ({ cpu }) => cpu.modelNumber,
  'cpu stepping': ({ cpu }) => cpu.stepping,
  'cpu caches': ({ cpu }) => cpu.caches && Object.entries(cpu.caches).map(([name, size]) => `${name} ${size} KiB`),
  'cpu hypervisor': ({ cpu }) => cpu.hypervisor,
  'cpu virtual': ({ cpu }) => cpu.virtual,
  'cpu cores': ({ cpu }) => cpu.cores,
  'cpu governor': ({ cpu }) => cpu.governor,
  'cpu idle': ({ cpu }) => cpu.idle,
  // The kernel reserves a MiB more or less in each of its releases.
  memory: ({ memoryMiB }) => `${Number((memoryMiB / 1024).toPrecision(2))} GiB`,
  'kernel line': ({ kernel }) => toKernelLine(kernel),
  platform: ({ platform }) => platform
}

/** Facts of what a run used of its machines. @type {Facts} */
const SETUP_FACTS = {
  'cores load': ({ cores }) => cores.load,
  'cores served': ({ cores }) => cores.served,
  'cores generators': ({ cores }) => cores.generators ?? 1,
  'lab network': ({ lab }) => lab.network,
  'hosts load': ({ hosts }) => hosts?.load.map(({ name, cpu }) => `${name}: ${cpu.model}, ${cpu.cores} cores`) ?? []
}

/** Parts of a calibration, as they are named. @type {Record<keyof Calibration, string>} */
const PARTS = {
  arithmetic: 'speed of arithmetic',
  memory: 'speed of memory copies',
  systemCalls: 'speed of system calls',
  roundTrips: 'speed of round trips'
}
/** Median calibration of a reference machine in 20 runs: AMD EPYC (family 25, model 1, stepping 1) under KVM,
 * Node 20.20.2, November 2026. */
const REFERENCE = { arithmetic: 603.7e6, systemCalls: 1.494e6 }
/** Parts that the version of Node influences. @type {string[]} */
const PARTS_OF_NODE = ['systemCalls', 'roundTrips']

/**
 * Returns the line of a kernel release: "6.18.44-fc" → "6.18".
 * @param {string} kernel
 */
export const toKernelLine = kernel => /^\d+\.\d+/.exec(kernel)?.[0] ?? kernel

/**
 * Lists the differences that make the rates of two runs incomparable: facts, and parts of the calibration that differ
 * by more than their bound.
 *
 * @param {Environment} before
 * @param {Environment} after
 * @param {number} [allowance] as of findSpeedDifferences()
 * @returns {Difference[]}
 */
export const findMachineDifferences = (before, after, allowance) => [
  ...compareFacts({ ...MACHINE_FACTS, ...SETUP_FACTS }, before, after),
  ...findSpeedDifferences(before, after, allowance)
]

/**
 * Lists the facts that differ. Leaves out a fact that is unknown on one side.
 *
 * @template T
 * @param {Facts<T>} facts
 * @param {T} before
 * @param {T} after
 * @returns {Difference[]}
 */
export const compareFacts = (facts, before, after) => Object.entries(facts)
  .map(([what, getFact]) => ({ what, values: [before, after].map(getFact) }))
  .filter(({ values }) => values.every(value => value !== null && value !== undefined))
  .map(({ what, values: [first, second] }) => ({ what, before: toText(first), after: toText(second) }))
  .filter(difference => difference.before !== difference.after)

/**
 * Lists the parts of the calibration that differ by more than their bound.
 *
 * @param {Environment} before
 * @param {Environment} after
 * @param {number} [allowance] factor on each bound
 * @returns {Difference[]} empty if one of the calibrations is unknown
 */
export function findSpeedDifferences (before, after, allowance = 1) {
  const [first, second] = [before.calibration, after.calibration]
  if (!first || !second) return []
  return /** @type {(keyof Calibration)[]} */ (Object.keys(PARTS))
    .filter(part => before.node === after.node || !PARTS_OF_NODE.includes(part))
    .filter(part => Math.abs(Math.log(first[part] / second[part])) > Math.log(allowance * CALIBRATION_BOUNDS[part]))
    .map(part => ({ what: PARTS[part], before: toSpeed(first[part]), after: toSpeed(second[part]) }))
}

/**
 * Returns the score of a machine: the speed of its cores for requests, relative to the reference machine. The geometric
 * mean has the arithmetic of the app and the system calls of the kernel. It has no memory copies and no round trips,
 * because they differed by factors of 2 and 6 from run to run on one machine, and capacities did not.
 *
 * @param {Pick<Calibration, 'arithmetic' | 'systemCalls'> | null} calibration
 * @returns {number | null} null: not measured
 */
export const computeScore = calibration => calibration && Math.sqrt(
  calibration.arithmetic / REFERENCE.arithmetic * calibration.systemCalls / REFERENCE.systemCalls)

/** Returns whether the speed of a machine was measured. @param {Pick<Environment, 'calibration'>} environment */
export const isSpeedKnown = ({ calibration }) => Boolean(calibration)

/**
 * Returns whether two runs are of one machine at one speed, as far as that is known.
 *
 * @param {Environment} one
 * @param {Environment} other
 */
export const haveOneSpeed = (one, other) =>
  compareFacts(MACHINE_FACTS, one, other).length === 0 && findSpeedDifferences(one, other).length === 0

/**
 * Returns whether two runs are of one machine: of one start of its kernel, or without a known difference. The speed of
 * a virtual machine can change between two runs.
 *
 * @param {Environment} one
 * @param {Environment} other
 */
const areOfOneMachine = (one, other) =>
  haveOneSpeed(one, other) ||
  (one.boot !== undefined && one.boot === other.boot && compareFacts(MACHINE_FACTS, one, other).length === 0)

/**
 * Groups runs by machine. Each is compared with the first of a group, so that slow drift does not join machines.
 *
 * @template {{ environment: Environment }} T
 * @param {T[]} records
 * @param {typeof haveOneSpeed} [areAlike]
 * @returns {T[][]} at least so many machines took part, unless one changed its speed and started anew
 */
export function groupByMachine (records, areAlike = areOfOneMachine) {
  /** @type {T[][]} */
  const groups = []
  for (const record of records) {
    const group = groups.find(([{ environment }]) => areAlike(environment, record.environment))
    if (group) group.push(record)
    else groups.push([record])
  }
  return groups
}

/**
 * Returns the name of a kind of machine, under which reference runs are filed:
 * "amd-epyc-25-1-2-cores-24-gib-linux-x64-6.18-kvm". The speed is not part of the name, because groupByMachine()
 * compares it with a tolerance.
 *
 * @param {Environment} environment
 * @returns {string} as SET_NAME of bench/store/names.js
 */
export function toFingerprint (environment) {
  const { cores, virtual, hypervisor } = environment.cpu
  const facts = ['cpu model', 'cpu family', 'cpu model number'].map(name => MACHINE_FACTS[name](environment))
  const others = ['memory', 'platform', 'kernel line'].map(name => MACHINE_FACTS[name](environment))
  return [...facts, plural(cores, 'core'), ...others, hypervisor ?? (virtual ? 'virtual' : 'metal')]
    .join(' ').toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^[.-]+/, '')
}

/** @param {unknown} value */
const toText = value => Array.isArray(value) ? value.join(', ') || 'none' : String(value)

/** @param {number} speed */
const toSpeed = speed => `${count(Math.round(speed))} per second`
