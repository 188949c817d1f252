/** Runs `hopbench size` on this machine: measures each topology, emulates offerings, stores a record. */
import { join } from 'node:path'
import { splitCores } from '../../machine/cores.js'
import { createRecord } from '../../run/pipeline.js'
import { shareName } from '../../plan/experiment.js'
import { withoutSecrets } from '../../plan/stored-plan.js'
import { openRun } from '../../store/store.js'
import { checkLimits } from '../../request/plan-checks.js'
import { now } from '../../machine/clocks.js'
import { leaveOutRefused } from '../../run/refused-requests.js'
import { openSession, utc } from '../../run/session.js'
import { emulationFacts } from './capacity/emulation.js'
import { answerSizing } from './kind.js'
import { getCores } from './prices/offerings.js'
import { SHARES, findCapacity, sizeTopology } from './topology.js'
import { computeSizing, createPlan } from './record.js'
import { emulate, findNext } from './emulate.js'
import { HopbenchError } from '../../errors.js'
import { print } from '../../plan/spec.js'
import { isTlsAtInstance, toMachine } from './prices/instance.js'
import { openSizingRig } from './rig.js'
import { sum } from '../../shared/group-by.js'
import { median, medianInterval } from '../../judge/stats/quantile.js'
import { hasTls } from '../../plan/predicates.js'
import { toMicros } from './capacity/cost.js'

/** @import { Arm, OpenRun, Plan, PriceRow, RunEnd, RunRecord, Sample, SizedTopology, Sizing } from '../../types.js' */
/** @import { Topology, Emulated } from '../../types.js' */
/** @import { Session } from '../../run/types.js' */
/** @import { SizeOptions, SizeRequest, SizingRig } from './types.js' */

/** Length of a window. */
const SECONDS = 1
/** Windows of each kind after which the costs of TLS are computed, for as long as one of them is not significant. Fewer
 * than six have no 95 % interval of a median. The limit is that of time: a minute. */
const ROUNDS = { full: [6, 12, 20], quick: [6] }
/** Few, because a window contains the handshakes of its connections: those of 400 were a third of its CPU time. */
const MAX_CONNECTIONS = 10
/** Kind of key: the default of certificates that are renewed by certbot. */
const KEY = 'ecdsa-p256'

/**
 * Measures what TLS adds to the CPU time of a request on a kept connection, and what a handshake takes. Windows without
 * TLS, over TLS on kept connections, and with a new connection for each request take turns, because the machine's speed
 * changes: from windows some minutes apart, a request over TLS cost 0 to 87 µs more.
 *
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['tls']> | null>} null: the hop in front ends TLS already,
 * or cannot end it
 */
export async function measureTls (arm, options, open = openSizingRig) {
  if (hasTls(arm.topology)) return null
  const secured = toTlsArm(arm)
  const load = { ...arm.load, connections: Math.min(MAX_CONNECTIONS, arm.load.connections) }
  const arms = [{ ...arm, load }, { ...secured, load }, { ...secured, load: { ...load, fresh: true } }]
  /** @type {SizingRig[]} */
  const rigs = []
  options.printProgress(`${secured.name}: the cost of TLS`)
  try {
    for (const [i, arm] of arms.entries()) {
      const rig = await open(arm, { ...options, temp: join(options.temp, `tls-${i}`) })
      rigs.push(rig)
      await rig.warm()
    }
    /** @type {number[][]} */
    const rounds = []
    let costs = null
    for (const enough of ROUNDS[options.quick ? 'quick' : 'full']) {
      while (rounds.length < enough) {
        const micros = []
        for (const rig of rigs) micros.push(await measureMicros(rig, load.connections, secured.name))
        rounds.push(micros)
      }
      costs = toTlsCosts(rounds)
      if (!costs.bounds || options.interrupted()) break
    }
    return costs
  } catch (error) {
    if (error instanceof HopbenchError) return null
    throw error
  } finally {
    for (const rig of rigs) await rig.close()
  }
}

/**
 * Computes the costs of TLS from rounds of a plain window, one over kept connections, and one over new connections.
 *
 * @param {number[][]} rounds six or more; µs per request in each window
 * @returns {NonNullable<SizedTopology['tls']>}
 */
export function toTlsCosts (rounds) {
  const [request, handshake] = [1, 2].map(i => {
    const differences = rounds.map(micros => micros[i] - micros[i - 1])
    const { low, high } = medianInterval(differences, 0.95) ?? { low: -Infinity, high: Infinity }
    // Without a significant cost its upper bound is charged, so that noise does not make TLS free.
    return low > 0 ? { micros: median(differences) } : { micros: Math.max(0, high), isBound: true }
  })
  /** @type {NonNullable<NonNullable<SizedTopology['tls']>['bounds']>} */
  const bounds = []
  if (request.isBound) bounds.push('requestMicros')
  if (handshake.isBound) bounds.push('handshakeMicros')
  return {
    requestMicros: request.micros,
    handshakeMicros: handshake.micros,
    rounds: rounds.length,
    ...bounds.length > 0 && { bounds }
  }
}

/**
 * Returns the arm that an instance of a row runs. Where the instance ends TLS, its row contains the cost of TLS unless
 * that could not be measured.
 *
 * @param {Arm} arm
 * @param {Pick<PriceRow, 'offering' | 'instances' | 'withoutTls'>} row
 * @returns {Arm}
 */
export function toInstanceArm (arm, { offering, instances, withoutTls = false }) {
  const isAsMeasured = !isTlsAtInstance(offering, instances) || withoutTls || hasTls(arm.topology)
  return isAsMeasured ? arm : toTlsArm(arm)
}

/**
 * Returns an arm with another topology.
 *
 * @param {Arm} arm
 * @param {Topology} topology
 * @returns {Arm}
 */
function withTopology (arm, topology) {
  const spec = print(topology)
  return { ...arm, name: spec, spec, topology }
}

/** Returns an arm whose front hop ends TLS. @param {Arm} arm */
const toTlsArm = arm => withTopology(arm, withTls(arm.topology))

/**
 * @param {SizingRig} rig
 * @param {number} connections
 * @param {string} name of the topology
 * @returns {Promise<number>} µs per request
 */
async function measureMicros (rig, connections, name) {
  const sample = await rig.closed({ seconds: SECONDS, connections })
  if (sample.requests === 0 || sample.invalid) {
    throw new HopbenchError('cannot-size', { name, why: 'no valid window over TLS' })
  }
  const { proxy, server } = toMicros(sample)
  return proxy + server
}

/**
 * Turns TLS on at the hop that clients connect to.
 *
 * @param {Topology} topology
 * @returns {Topology}
 */
function withTls ({ proxy, server, ...topology }) {
  if (proxy) return { ...topology, server, proxy: { ...proxy, options: { ...proxy.options, tls: KEY } } }
  return { ...topology, proxy, server: server && { ...server, options: { ...server.options, tls: KEY } } }
}

const PROCESSES = 2

/** Offerings that are emulated at most, because each takes more than a minute: the recommended one, those of the
 * answer, and the cheapest of each provider. An offering that does not hold the goal is replaced by the next one. */
const MAX_EMULATED = 6
/** Share of the cores that generate load, because an open loop starts as many processes as its rate requires. */
const LOAD_SHARE = 0.5

/**
 * Runs a sizing and stores its record.
 *
 * @param {SizeRequest} request
 * @param {() => boolean} interrupted
 * @returns {Promise<{ dir: string, record: RunRecord & { sizing: Sizing } }>} dir: the run's folder
 */
export async function runSize (request, interrupted) {
  const startedSeconds = now()
  const startedAt = utc()
  const session = await openSession({ lab: request.lab, cores: splitCores('split', LOAD_SHARE) })
  try {
    checkLimits(request, session.environment.limits.openFiles)
    const cores = session.cores.split ? session.cores.served : null
    const left = { ...request, ...await leaveOutRefused(request.arms, { ...session, cores }) }
    const plan = withoutSecrets(createPlan(left, SHARES[request.quick ? 'quick' : 'full']))
    const run = await openRun({ resultsDir: request.results, experiment: plan.experiment, startedAt, plan })
    try {
      const world = { request: left, session, plan, run, emulation: await emulationFacts(), interrupted }
      /** @type {Study} */
      const study = { ...world, startedAt, startedSeconds, samples: [], topologies: [], emulated: [] }
      await store(study, null)
      await sizeAll(study)
      if (request.emulate) await emulateCheapest(study)
      return { dir: run.dir, record: await store(study, interrupted() ? 'interrupted' : 'blocks') }
    } finally {
      await run.close()
    }
  } finally {
    session.close()
  }
}

/**
 * A sizing in progress, with what was measured so far.
 *
 * @typedef {object} Study
 * @property {SizeRequest} request
 * @property {Session} session
 * @property {Plan} plan
 * @property {OpenRun} run
 * @property {Sizing['emulation']} emulation
 * @property {() => boolean} interrupted
 * @property {string} startedAt
 * @property {number} startedSeconds
 * @property {Sample[]} samples
 * @property {SizedTopology[]} topologies
 * @property {Emulated[]} emulated
 */

/**
 * Writes the record.
 *
 * @param {Study} study
 * @param {RunEnd | null} ended null: the run goes on
 */
async function store (study, ended) {
  const { plan, run, session: { environment }, startedAt, startedSeconds, samples } = study
  const record = {
    ...createRecord(plan, { environment, startedAt, utc, run }, { samples, ended }),
    kind: /** @type {const} */ ('sizing'),
    tools: Object.assign({}, ...study.topologies.map(({ tools }) => tools)),
    timing: {
      setupSeconds: 0,
      measuredSeconds: sum(samples.map(({ seconds }) => seconds)),
      sliceWallSeconds: now() - startedSeconds,
      blocks: samples.length > 0 ? 1 : 0
    },
    sizing: compute(study)
  }
  await run.writeRecord(record)
  return record
}

/** @param {Study} study */
async function sizeAll (study) {
  const { session, run, interrupted, request: { arms, offerings, min } } = study
  const hasLarge = offerings.some(offering => Number(getCores(offering)) >= 2)
  const isTlsPriced = offerings.some(offering => isTlsAtInstance(offering, min))
  const onFirst = (/** @type {SizedTopology} */ provisional) => {
    const answer = answerSizing(compute(study, provisional))
    session.progress.note(`so far, after ${Math.round(now() - study.startedSeconds)} s: ${answer}`)
  }
  for (const [i, arm] of arms.entries()) {
    if (interrupted()) return
    const { samples, ...sized } = await sizeTopology(arm, { ...toOptions(study, `s${i}`), onFirst })
    const named = samples.map(({ share, sample }) => ({ ...sample, arm: shareName(arm.name, share), block: 0 }))
    study.samples.push(...named)
    const more = hasLarge && !interrupted() ? await measureMore(arm, toOptions(study, `m${i}`)) : []
    const tls = isTlsPriced && !interrupted() ? await measureTls(arm, toOptions(study, `t${i}`)) : null
    study.topologies.push({ ...sized, ...more.length > 0 && { more }, ...tls && { tls } })
    await run.append(named)
    await store(study, null)
  }
}

/** Emulates the recommended offering, those of the answer, and the cheapest of each provider. @param {Study} study */
async function emulateCheapest (study) {
  const { session, interrupted, emulated, request: { arms, rate } } = study
  const cores = session.cores.served.length
  while (emulated.length < MAX_EMULATED && !interrupted()) {
    const row = findNext(compute(study).table, { rate, cores }, emulated)
    const arm = arms.find(({ spec }) => spec === row?.topology)
    if (!row || !arm) return
    const found = await emulate(toInstanceArm(arm, row), { ...toOptions(study, `v${emulated.length}`), row })
    if (!found) return
    emulated.push(found)
    await store(study, null)
  }
}

/**
 * @param {Study} study
 * @param {string} name of a temporary folder
 */
const toOptions = ({ request, session, run, interrupted }, name) =>
  ({ ...request, ...session, interrupted, now, temp: session.folder(name), keepIn: run.dir })

/**
 * @param {Study} study
 * @param {SizedTopology[]} provisional topologies that are being measured
 */
const compute = ({ request, session, topologies, emulated, emulation }, ...provisional) => computeSizing(request, {
  topologies: [...topologies, ...provisional],
  emulated,
  emulation,
  machine: toMachine(session.environment)
}, utc())

/**
 * Measures the capacity of a cluster of two processes of the same server.
 *
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['more']>>} empty where there is no core for each process, where the arm
 * has several processes already, and where the server cannot be clustered
 */
export async function measureMore (arm, options, open = openSizingRig) {
  const { server } = arm.topology
  if (server?.manager !== 'node' || options.cores.served.length < PROCESSES) return []
  const clustered =
    withTopology(arm, { ...arm.topology, server: { ...server, manager: 'cluster', instances: PROCESSES } })
  options.printProgress(`${clustered.spec}: the capacity of ${PROCESSES} processes`)
  let rig
  try {
    rig = await open(clustered, { ...options, temp: join(options.temp, 'more') })
    const { capacity } = await findCapacity(rig, clustered, { ...options, quick: true, isOneSearchEnough: true })
    return [{ processes: PROCESSES, rate: capacity.rate, low: capacity.low, high: capacity.high }]
  } catch (error) {
    if (error instanceof HopbenchError) return []
    throw error
  } finally {
    await rig?.close()
  }
}
