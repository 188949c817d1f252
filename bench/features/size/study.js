/** Runs `hopbench size` on this machine: measures each topology, verifies the recommended offering, stores a record. */
import { join } from 'node:path'
import { splitCores } from '../../machine/cores.js'
import { createRecord } from '../../run/pipeline.js'
import { shareName } from '../../plan/experiment.js'
import { withoutSecrets } from '../../plan/stored-plan.js'
import { openRun } from '../../store/store.js'
import { checkLimits } from '../../request/plan-checks.js'
import { now } from '../../machine/clocks.js'
import { openSession, utc } from '../../run/session.js'
import { emulationFacts } from './capacity/emulation.js'
import { answerSizing } from './kind.js'
import { getCores } from './prices/offerings.js'
import { findCapacity, SHARES, sizeTopology } from './topology.js'
import { computeSizing, createPlan } from './record.js'
import { measureTls, toInstanceArm } from './capacity/tls-cost.js'
import { findNext, verify } from './verify.js'
import { HopbenchError } from '../../errors.js'
import { print } from '../../plan/spec.js'
import { openSizingRig } from './rig.js'

/** @import { Arm, OpenRun, Plan, RunEnd, RunRecord, Sample, SizedTopology, Sizing } from '../../types.js' */
/** @import { Session } from '../../run/types.js' */
/** @import { SizeOptions, SizeRequest } from './types.js' */
/** @import { Topology, Verification } from '../../types.js' */

const PROCESSES = 2

/** Offerings that are verified at most, because each takes half a minute: the recommended one, those of the answer, and
 * the cheapest of each provider. An offering that does not hold the goal is replaced by the next one. */
const MOST_VERIFIED = 6
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
    const plan = withoutSecrets(createPlan(request, SHARES[request.quick ? 'quick' : 'full']))
    const run = await openRun({ resultsDir: request.results, experiment: plan.experiment, startedAt, plan })
    try {
      const emulation = await emulationFacts()
      const study = new SizingStudy(request, { session, plan, run, emulation, interrupted, startedAt, startedSeconds })
      await study.store(null)
      await study.sizeAll()
      if (request.verify) await study.verifyCheapest()
      return { dir: run.dir, record: await study.store(interrupted() ? 'interrupted' : 'blocks') }
    } finally {
      await run.close()
    }
  } finally {
    session.close()
  }
}

/** A sizing in progress, with what was measured so far. */
class SizingStudy {
  #request
  #world
  /** @type {Sample[]} */
  #samples = []
  /** @type {SizedTopology[]} */
  #topologies = []
  /** @type {Verification[]} */
  #verified = []

  /**
   * @param {SizeRequest} request
   * @param {{ session: Session, plan: Plan, run: OpenRun, emulation: Sizing['emulation'], interrupted: () => boolean,
   * startedAt: string, startedSeconds: number }} world
   */
  constructor (request, world) {
    this.#request = request
    this.#world = world
  }

  /**
   * Writes the record.
   *
   * @param {RunEnd | null} ended null: the run goes on
   */
  async store (ended) {
    const { plan, run, session, startedAt, startedSeconds } = this.#world
    const samples = this.#samples
    const world = { environment: session.environment, startedAt, utc, run: { run: run.run } }
    const record = {
      ...createRecord(plan, world, { samples, ended }),
      kind: /** @type {const} */ ('sizing'),
      tools: Object.assign({}, ...this.#topologies.map(({ tools }) => tools)),
      timing: {
        setupSeconds: 0,
        measuredSeconds: samples.reduce((sum, { seconds }) => sum + seconds, 0),
        sliceWallSeconds: now() - startedSeconds,
        blocks: samples.length > 0 ? 1 : 0
      },
      sizing: this.#compute()
    }
    await run.writeRecord(record)
    return record
  }

  async sizeAll () {
    const { session, run, interrupted, startedSeconds } = this.#world
    const { arms, offerings } = this.#request
    const hasLarge = offerings.some(offering => Number(getCores(offering)) >= 2)
    const hasMachines = offerings.some(offering => offering.class === 'vm')
    const onFirst = (/** @type {SizedTopology} */ provisional) => {
      const answer = answerSizing(this.#compute(provisional))
      session.progress.note(`so far, after ${Math.round(now() - startedSeconds)} s: ${answer}`)
    }
    for (const [i, arm] of arms.entries()) {
      if (interrupted()) return
      const { samples, ...sized } = await sizeTopology(arm, { ...this.#options(`s${i}`), onFirst })
      const named = samples.map(({ share, sample }) => ({ ...sample, arm: shareName(arm.name, share), block: 0 }))
      this.#samples.push(...named)
      const more = hasLarge && !interrupted() ? await measureMore(arm, this.#options(`m${i}`)) : []
      const tls = hasMachines && !interrupted() ? await measureTls(arm, this.#options(`t${i}`)) : null
      this.#topologies.push({ ...sized, ...more.length > 0 && { more }, ...tls && { tls } })
      await run.append(named)
      await this.store(null)
    }
  }

  /** Verifies the recommended offering, those of the answer, and the cheapest of each provider. */
  async verifyCheapest () {
    const { session, interrupted } = this.#world
    const { arms, rate, spare } = this.#request
    const cores = session.cores.served.length
    while (this.#verified.length < MOST_VERIFIED && !interrupted()) {
      const row = findNext(this.#compute().table, { rate, cores }, this.#verified)
      const arm = arms.find(({ spec }) => spec === row?.topology)
      if (!row || !arm) return
      const options = { ...this.#options(`v${this.#verified.length}`), row, rate, spare }
      this.#verified.push(await verify(toInstanceArm(arm, row), options))
      await this.store(null)
    }
  }

  /** @param {string} name of a temporary folder */
  #options (name) {
    const { session, interrupted } = this.#world
    const { p99Ms, quick, warmUpSeconds, seed, confidence, soakSeconds } = this.#request
    const { lab, cores, cwd, note, folder } = session
    return {
      p99Ms,
      quick,
      warmUpSeconds,
      seed,
      confidence,
      soakSeconds,
      lab,
      cores,
      cwd,
      note,
      interrupted,
      now,
      temp: folder(name)
    }
  }

  /** @param {SizedTopology[]} provisional topologies that are being measured */
  #compute (...provisional) {
    return computeSizing(this.#request, {
      topologies: [...this.#topologies, ...provisional],
      verified: this.#verified,
      emulation: this.#world.emulation,
      otherShare: this.#world.session.environment.busy.busyShare
    }, utc())
  }
}

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
  /** @type {Topology} */
  const topology = { ...arm.topology, server: { ...server, manager: 'cluster', instances: PROCESSES } }
  const spec = print(topology)
  options.note(`${spec}: the capacity of ${PROCESSES} processes`)
  let rig
  try {
    const clustered = { ...arm, name: spec, spec, topology }
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
