/** Runs a plan on real machines, with the real clock and store. */
import { findWarnings } from '../judge/warnings.js'
import { HopbenchError } from '../errors.js'
import { openRig } from '../measure/rigs/rig.js'
import { measure } from './pipeline.js'
import { toResumeCommand, withoutSecrets } from '../plan/stored-plan.js'
import { checkLimits } from '../request/plan-checks.js'
import { rejectOtherMachine, rejectOtherPrograms, storedEngine } from '../request/resume.js'
import { lastSelftest } from './last-selftest.js'
import { now } from '../machine/clocks.js'
import { openWorkspace, prepareMachine, utc } from './session.js'
import { knownServers } from './known-servers.js'
import { acquireRunLock } from '../machine/machine-lock.js'
import { openRun, readRun, reopenRun } from '../store/store.js'
import { judgeOpenLoop } from '../judge/open-loop.js'
import { judgeSample } from '../judge/verdict.js'
import { blocks } from '../plan/blocks.js'
import { computeMaxSeconds, toOpenLoopPlan } from '../plan/open-loop.js'
import { BlockList, isIPv6 } from 'node:net'
import { hasUsers } from '../load/capabilities.js'
import { localEngines } from '../load/find-engine.js'
import { enginesOnHosts } from '../load/hosts/engines.js'
import { inspectHost } from '../load/hosts/ssh.js'
import { allCoresServe, splitCores } from '../machine/cores.js'
import { readCpuTicks, readEnvironment } from '../machine/environment/environment.js'
import { labFacts } from '../machine/network/lab.js'
import { computeTurnSeconds } from '../plan/targets.js'
import { leaveOutRefused } from './refused-requests.js'

/** @import { Arm, Environment, OpenLoop, OpenLoopPlan, OpenRun, Plan, Progress, Rig, RunRecord } from '../types.js' */
/** @import { Sample, StoredRun } from '../types.js' */
/** @import { World } from './pipeline.js' */
/** @import { RunFlags } from '../request/types.js' */
/** @import { RunLocation, Workspace } from './types.js' */
/** @import { Host } from '../load/types.js' */

/** Time after the budget at which a generator ends by itself, in seconds, in case hopbench was killed. */
const SPARE_SECONDS = 600

/**
 * Measures a plan and stores its record.
 *
 * @param {Plan} typedPlan with secrets
 * @param {RunFlags} options
 * @param {object} world
 * @param {() => boolean} world.interrupted
 * @param {import('./session.js').Feed} [world.feed]
 * @param {World['isResolved']} [world.isResolved] whether the comparison of a run with a margin is resolved
 * @param {typeof addOpenLoop} [world.extend] measures the part after the throughput, and stores it with the record
 * @returns {Promise<{ dir: string, record: RunRecord, lost: HopbenchError | null, succeeded: boolean }>} dir: the run's
 *   folder; lost: error of a machine that became unreachable, which makes the run fail although its record is stored
 * @throws {HopbenchError} disk-full, and errors of opening the store and the rig
 */
export async function runPlan (typedPlan, options, { feed, interrupted, isResolved, extend = addOpenLoop }) {
  const workspace = openWorkspace(feed)
  /** @type {{ close: () => unknown }[]} */
  const opened = [workspace]
  try {
    const location = await resolveLocation(typedPlan, options, workspace)
    const { environment, machine } = location
    const startedSeconds = startOfWallTime()
    checkLimits(typedPlan, environment.limits.openFiles)
    const { urlAddresses, resume } = options
    const cores = machine.cores.split ? machine.cores.served : null
    // A resumed run has left its requests out before.
    const plan = resume === undefined
      ? { ...typedPlan, ...await leaveOutRefused(typedPlan.arms, { ...workspace, ...machine, cores, urlAddresses }) }
      : typedPlan
    // Opens the store first, so that an unusable results folder always causes the same error.
    const run = await openStore(plan, options, environment)
    opened.push(run)
    const selftestResolution = await lastSelftest(environment, options.results)
    const serverFacts = await knownServers(plan.arms, options.results)
    // The record gets the plan of the store, which is without secrets. The rig needs the plan with secrets.
    const throughput = await measure(run.plan, {
      openRig: () => openRunRig(plan, options, location, run, { ...workspace, interrupted }),
      run,
      resumed: run.record,
      earlier: run.samples,
      now,
      utc,
      interrupted,
      isResolved,
      progress: workspace.progress,
      serverFacts,
      environment,
      readCpuTicks,
      selftestResolution,
      startedSeconds,
      startedAt: run.startedAt
    }).catch(error => { throw isDiskFull(error) ? createDiskFullError(error, run, workspace.temp) : error })
    const record = await extend(throughput, plan, { options, location, workspace, run, interrupted })
    const lost = location.findLostHost()
    return { dir: run.dir, record, lost, succeeded: lost === null && isSuccess(record) }
  } finally {
    await closeAll(opened)
  }
}

/**
 * @typedef {object} OpenLoopWorld the side effects and facts of the part after the throughput
 * @property {RunFlags} options
 * @property {RunLocation} location
 * @property {Workspace} workspace
 * @property {Pick<OpenRun, 'writeRecord' | 'writeFile' | 'dir'>} run
 * @property {() => boolean} interrupted
 */

/**
 * Measures the open loop of a run with --rate after its throughput, and stores its results with the record.
 *
 * @param {RunRecord} record of the throughput
 * @param {Plan} plan with secrets
 * @param {OpenLoopWorld} world
 * @returns {Promise<RunRecord>}
 */
async function addOpenLoop (record, plan, { options, location, workspace, run, interrupted }) {
  if (!hasOpenLoop(plan) || !record.complete || record.ended === 'failed') return record
  const { progress, folder, cwd, printProgress } = workspace
  const { cores } = location.environment
  const temp = folder('o')
  const openLoop = await measureOpenLoop(plan, {
    openRig: part => openRig(part, {
      temp,
      // Discards these configurations with the temporary folder. The run folder already holds those of the throughput
      // part, which differ only in the number of connections.
      keepIn: temp,
      engine: part.arms[0].load.engine,
      mayswitch: false,
      cwd,
      urlAddresses: options.urlAddresses,
      maxSeconds: Math.ceil(part.targets.budgetSeconds + SPARE_SECONDS),
      printProgress,
      interrupted,
      ...location.machine
    }),
    progress,
    interrupted,
    servedCores: cores.served.length
  })
  const measured = { ...record, openLoop, endedAt: utc() }
  const whole = { ...measured, warnings: findWarnings(measured) }
  await run.writeRecord(whole)
  return whole
}

/**
 * Opens the rig of a run. A resumed run continues with the engine of its earlier part, and only with the same versions
 * of the programs.
 *
 * @param {Plan} plan with secrets
 * @param {RunFlags} options
 * @param {RunLocation} location
 * @param {Pick<StoredRun, 'dir' | 'run' | 'record' | 'samples'>} run
 * @param {Workspace & { interrupted: () => boolean }} workspace
 * @throws {HopbenchError} other-machine, and errors of starting the arms
 */
async function openRunRig (plan, options, { machine }, run, { temp, cwd, printProgress, interrupted }) {
  const resumedEngine = run.samples.length > 0 ? storedEngine(run.record) : undefined
  const rig = await openRig(plan, {
    temp,
    keepIn: run.dir,
    // A rig has one engine for all arms.
    engine: resumedEngine ?? plan.arms[0].load.engine,
    mayswitch: options.engine === undefined && resumedEngine === undefined,
    cwd,
    urlAddresses: options.urlAddresses,
    maxSeconds: Math.ceil(plan.targets.budgetSeconds + SPARE_SECONDS),
    printProgress,
    interrupted,
    ...machine
  })
  try {
    rejectOtherPrograms(run, rig)
    return rig
  } catch (error) {
    await rig.close()
    throw error
  }
}

/**
 * Returns the start of the run's wall time, in seconds of `now()`, which includes the start of this process.
 */
function startOfWallTime () {
  // The process that started this one in a PID namespace passes the time by CLOCK_MONOTONIC, which both share.
  const started = Number(process.env.HOPBENCH_STARTED ?? NaN)
  if (!Number.isFinite(started)) return now()
  return now() - Math.max(0, Number(process.hrtime.bigint()) / 1e9 - started)
}

/**
 * Returns whether a disk is full or its quota is exhausted.
 *
 * @param {unknown} error
 * @returns {error is NodeJS.ErrnoException}
 */
const isDiskFull = error =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/**
 * Creates the error for a full disk.
 *
 * @param {NodeJS.ErrnoException} error its path is missing if a file in the temporary folder could not be written
 * @param {{ dir: string, plan: Plan }} run its folder, and its plan without secrets
 * @param {string} temp the temporary folder
 */
const createDiskFullError = (error, { dir, plan }, temp) => new HopbenchError('disk-full', {
  file: error.path ?? `a file in ${temp}`, resume: toResumeCommand(dir, plan)
}, { cause: error })

/**
 * Returns whether a run succeeded: the run was neither interrupted nor ended for lack of valid arms, has a valid trial,
 * and has only valid contrasts. Accepts invalid contrasts if the experiment measures errors.
 *
 * @param {RunRecord} record
 */
const isSuccess = ({ complete, ended, contrasts, plan, arms }) =>
  complete && ended !== 'failed' && arms.some(({ trials, invalidTrials }) => trials > invalidTrials.length) &&
  (plan.errorsAreResults || contrasts.every(({ verdict }) => verdict !== 'invalid'))

/**
 * Closes resources in reverse order. Each is closed even if another one fails to close.
 *
 * @param {{ close: () => unknown }[]} resources in the order in which they were opened
 */
async function closeAll ([first, ...later]) {
  if (!first) return
  try {
    await closeAll(later)
  } finally {
    await first.close()
  }
}

/**
 * Stores a plan without its secrets, or reopens the folder of the run to resume.
 *
 * @param {Plan} plan
 * @param {{ resume?: string, results?: string }} options
 * @param {Environment} environment
 * @returns {Promise<OpenRun & Pick<StoredRun, 'record' | 'samples'> & { plan: Plan, startedAt: string }>} plan: without
 *   secrets; record, samples: of a resumed run; startedAt: UTC
 * @throws {HopbenchError} run-in-use, other-machine, and the errors of the store
 */
async function openStore (plan, { resume, results }, environment) {
  const startedAt = utc()
  const publicPlan = withoutSecrets(plan)
  if (resume === undefined) {
    const run = await openRun({ resultsDir: results, experiment: plan.experiment, startedAt, plan: publicPlan })
    await acquireRunLock(run.dir)
    return { ...run, plan: publicPlan, samples: [], record: null, startedAt }
  }
  // Locked before it is read, because the process that holds the lock may still append samples.
  await acquireRunLock((await readRun(resume, results)).dir)
  rejectOtherMachine(await readRun(resume, results), environment)
  const run = await reopenRun(resume, results)
  return { ...run, plan: publicPlan, startedAt: run.record?.startedAt ?? startedAt }
}

/** Blocks at most, as a multiple of those planned: invalid windows are repeated. */
const MAX_TRIES = 3

/**
 * Returns whether a plan has an open loop.
 * @param {Plan} plan
 * @returns {plan is Plan & { openLoop: OpenLoopPlan }}
 */
const hasOpenLoop = plan => plan.openLoop !== undefined

/**
 * @param {Plan & { openLoop: OpenLoopPlan }} plan with secrets
 * @param {object} world
 * @param {(part: Plan) => Promise<Rig>} world.openRig
 * @param {Pick<Progress, 'note' | 'end'>} world.progress
 * @param {() => boolean} world.interrupted
 * @param {number} world.servedCores number of cores of the served side
 * @returns {Promise<OpenLoop>}
 */
async function measureOpenLoop (plan, { openRig, progress, interrupted, servedCores }) {
  const part = toOpenLoopPlan(plan)
  const { rate, blocks: count, windowSeconds, seconds } = plan.openLoop
  const byName = new Map(part.arms.map(arm => [arm.name, arm]))
  const deadline = now() + computeMaxSeconds(plan.openLoop)
  /** Arms that need a further window: with fewer than planned, or without a valid one. @type {string[] | null} */
  let needed = null
  progress.note(`open loop, at ${rate} req/s: about ${seconds} s`)
  const rig = await openRig(part)
  /** @type {Sample[]} */
  const samples = []
  try {
    const from = { block: 0, start: 0 }
    const trials = blocks({ plan: part, rig, from, interrupted, needed: () => needed })
    for await (const { block, samples: fresh } of trials) {
      for (const sample of fresh) {
        const arm = /** @type {Plan['arms'][number]} */ (byName.get(sample.arm))
        samples.push({ ...sample, invalid: judgeSample(sample, arm, { servedCores }) })
      }
      const judged = judgeOpenLoop(part, samples, rig.refused)
      needed = judged.filter(({ windows, sustained }) => windows < count || sustained === null).map(({ name }) => name)
      if (needed.length === 0 || block + 1 >= MAX_TRIES * count || now() > deadline) break
    }
  } finally {
    await rig.close().finally(() => progress.end())
  }
  return { rate, windowSeconds, arms: judgeOpenLoop(part, samples, rig.refused) }
}

/** Share of the cores for a generator with one process per core, because simulating users costs more than serving. */
const USERS_LOAD_SHARE = 0.5

/** Addresses of loopbacks, private networks (RFC 1918, RFC 4193, RFC 6598) and links. */
const PRIVATE = new BlockList()
for (const [address, prefix] of /** @type {[string, number][]} */ ([['127.0.0.0', 8], ['10.0.0.0', 8],
  ['172.16.0.0', 12], ['192.168.0.0', 16], ['169.254.0.0', 16], ['100.64.0.0', 10], ['::1', 128], ['fc00::', 7],
  ['fe80::', 10]])) PRIVATE.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * @param {Plan} plan
 * @param {Pick<RunFlags, 'lab' | 'load' | 'engine' | 'allowHost'>} options
 * @param {{ printProgress: (text: string) => void }} context
 * @returns {Promise<RunLocation>}
 * @throws {HopbenchError} if another machine cannot make the load
 */
async function resolveLocation (plan, { load, ...options }, context) {
  if (load) return resolveWithHosts(plan, load, { ...options, ...context })
  const loadShare = plan.arms.some(({ load }) => hasUsers(load)) ? USERS_LOAD_SHARE : 0
  const { environment, cores, lab } = await prepareMachine({
    // A smoke run only shows that the arms work.
    lab: options.lab, cores: splitCores(plan.cores, loadShare), isCalibrated: !plan.smoke
  })
  return {
    environment,
    machine: {
      lab,
      cores,
      engines: localEngines,
      turnSeconds: computeTurnSeconds(environment.turnLossMs, cores.split ? 'split' : 'shared')
    },
    findLostHost: () => null
  }
}

/**
 * @param {Plan} plan
 * @param {Host[]} load
 * @param {Pick<RunFlags, 'engine' | 'allowHost'> & { printProgress: (text: string) => void }} options
 * @returns {Promise<RunLocation>}
 */
async function resolveWithHosts ({ arms }, load, { engine, allowHost = [], printProgress }) {
  printProgress(`connecting to ${load.map(({ name }) => name).join(' and ')}`)
  const hosts = await Promise.all(load.map(inspectHost))
  const [{ address, name }] = hosts
  rejectPublicAddress(name, address, allowHost)
  const ofUsers = arms.some(({ load }) => hasUsers(load))
  const engines = enginesOnHosts(hosts, { ofUsers })
  // Reports a missing program before the run is stored.
  await engines.findOrNext(arms[0].load.engine, { insist: engine !== undefined })
  const cores = allCoresServe()
  const generators = ofUsers ? hosts.reduce((sum, { cpu }) => sum + cpu.cores, 0) : 1
  const environment = await readEnvironment({
    lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' }, cores
  })
  return {
    environment: {
      ...environment,
      cores: { ...environment.cores, generators },
      hosts: { load: hosts.map(({ name, cpu, kernel }) => ({ name, cpu, kernel })) }
    },
    machine: { lab: false, address, cores, engines },
    findLostHost: () => hosts.find(({ lost }) => lost)?.lost ?? null
  }
}

/**
 * Rejects load over a public network without permission.
 *
 * @param {string} host
 * @param {string} address of this machine
 * @param {string[]} allowed addresses of --allow-host
 * @throws {HopbenchError} host-unfit
 */
export function rejectPublicAddress (host, address, allowed) {
  if (allowed.includes(address) || PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return
  throw new HopbenchError('host-unfit', {
    host,
    why: `its load would go to ${address}, an address of a public network`,
    remedy: `Add --allow-host ${address} if that network may have the load.`
  })
}
