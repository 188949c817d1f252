/** Plays rollouts in a random order, each on new processes in a network of its own, and stores them as a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { badOption, toSentence } from '../../errors.js'
import { clock } from '../../load/scenario-client.js'
import { now } from '../../machine/clocks.js'
import { toStoredCommand } from '../../plan/stored-command.js'
import { findFramework } from '../../request/frameworks.js'
import { readManifest } from '../../request/project-paths.js'
import { createRecord } from '../../run/pipeline.js'
import { openSession, utc } from '../../run/session.js'
import { showPage, showRecord } from '../../run/show-record.js'
import { sum } from '../../shared/group-by.js'
import { randomFrom, shuffle } from '../../shared/random.js'
import { toVersionText } from '../../shared/releases.js'
import { openRun } from '../../store/store.js'
import { findAppFaults, tryAppEnd } from './app-end.js'
import { inspectSite, openVisits } from './clients/client.js'
import { applyPolicy } from './files/apply-policy.js'
import { isValid, toName } from './losses.js'
import { openStage } from './stage.js'
import { chooseWays, findNginx, toBuilds } from './ways.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { FilePolicy, Plan, ProxyProgram, RolloutArm, RolloutResult, RunRollout } from '../../types.js' */
/** @import { Session } from '../../run/types.js' */
/** @import { Side, Sides } from '../diff/index.js' */
/** @import { Build, Site, Visits } from './types.js' */
/** @import { NamedWay } from './ways.js' */

/** Time before a replacement in which clients show the service without one. */
const CALM_MS = 2000
/** Time after it in which open pages of the old build request files: 7 of 10 of their requests (plan-visits.js). */
const AFTER_MS = 5000
/** Kept connections without requests, as of browsers with an open page. */
const IDLE = 4
/** Policies that nginx carries out, so that ways without it have none. @type {FilePolicy[]} */
const OF_NGINX = ['attic', 'cdn']

/**
 * @typedef {object} RolloutRequest
 * @property {Sides} sides base and head, which are the old and the new build
 * @property {string[]} [ways] left out: all that can replace these builds here
 * @property {FilePolicy[]} policies
 * @property {boolean[]} retries
 * @property {number} rollouts of each arm
 * @property {number} rate requests per second
 * @property {string} page
 * @property {string[]} api paths that the page requests later
 * @property {string | null} stream path of a response that does not end
 * @property {string | null} websocket
 * @property {boolean} triesEnd whether the end of the new build is tried with each kind of open connection
 * @property {number} readySeconds
 * @property {number} seed
 * @property {boolean} lab
 * @property {boolean} json
 * @property {string} [results]
 * @property {readonly string[]} argv of hopbench
 */

/** Parts that all rollouts of a run share. */
/** @typedef {{ request: RolloutRequest, session: Session, builds: { old: Build, new: Build },
 *   nginx: ProxyProgram | null, sites: { old: Site, new: Site } }} World */

/**
 * @param {RolloutRequest} request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runRollouts (request, interrupted) {
  const [startedAt, startedSeconds] = [utc(), now()]
  const session = await openSession({ lab: request.lab, isCalibrated: false })
  try {
    const builds = toBuilds(request.sides)
    const { program: nginx, why } = await findNginx()
    const { ways, leftOut } = await chooseWays(request.ways, { ...builds, whyNoNginx: why })
    const planned = planArms(ways, request)
    const sites = {
      old: await inspectBuild(builds.old, { request, session, builds }),
      new: await inspectBuild(builds.new, { request, session, builds })
    }
    /** @type {RunRollout} */
    const rollout = {
      old: toRecorded(request.sides.base),
      new: toRecorded(request.sides.head),
      files: countFiles(sites),
      page: request.page,
      rate: request.rate,
      wanted: request.rollouts,
      arms: planned.map(({ arm }) => arm),
      ...request.triesEnd && { app: await tryEnd({ request, session, builds }) },
      leftOut
    }
    const world = { request, session, builds, nginx, sites }
    return await measure({ rollout, planned, world, startedAt, startedSeconds }, interrupted)
  } finally {
    session.close()
  }
}

/**
 * Plays all rollouts, stores each, and reports them.
 * @param {object} course
 * @param {RunRollout} course.rollout whose arms get the results
 * @param {{ way: NamedWay, arm: RolloutArm }[]} course.planned
 * @param {World} course.world
 * @param {string} course.startedAt
 * @param {number} course.startedSeconds
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
async function measure ({ rollout, planned, world, startedAt, startedSeconds }, interrupted) {
  const { request: { seed, rollouts, results, json, argv }, session: { environment, printProgress, progress } } = world
  const plan = createPlan({ argv, seed })
  const run = await openRun({ resultsDir: results, experiment: plan.experiment, startedAt, plan })
  const toRecord = (/** @type {'blocks' | 'interrupted' | null} */ ended) => {
    const measuredSeconds = now() - startedSeconds
    const record = createRecord(plan, { environment, startedAt, utc, run }, { samples: [], ended })
    const blocks = sum(rollout.arms.map(arm => arm.rollouts.length))
    return {
      ...record,
      kind: /** @type {const} */ ('rollout'),
      tools: /** @type {Record<string, string>} */ (world.nginx ? { nginx: toVersionText(world.nginx) } : {}),
      timing: { ...record.timing, measuredSeconds, sliceWallSeconds: measuredSeconds, blocks },
      rollout
    }
  }
  try {
    const queue = Array.from({ length: rollouts }, (_, round) =>
      shuffle(planned, randomFrom(seed, 'rollouts', round))).flat()
    const most = 2 * queue.length
    for (let index = 0; index < queue.length && !interrupted(); index++) {
      const { way, arm } = queue[index]
      printProgress(`rollout ${index + 1} of ${queue.length}: ${toName(arm)}`)
      const result = await playRollout(way, arm, { world, index })
      arm.rollouts.push(result)
      // Repeats a rollout whose clients were late, but no more than as many as were planned.
      if (result.failure === null && !isValid(result) && queue.length < most) queue.push(queue[index])
      // Keeps what was measured if the suite is killed.
      await run.writeRecord(toRecord(null))
    }
    const record = toRecord(interrupted() ? 'interrupted' : 'blocks')
    await run.writeRecord(record)
    progress.end()
    showRecord(record, { json, dir: run.dir })
    await showPage(run.dir, { json, resultsDir: results })
    return record.complete && rollout.arms.every(arm => arm.rollouts.some(isValid)) ? 0 : 1
  } finally {
    await run.close()
  }
}

/**
 * @param {NamedWay[]} ways
 * @param {Pick<RolloutRequest, 'policies' | 'retries'>} request
 * @throws {HopbenchError} bad-option, if no way carries out the policies
 */
function planArms (ways, { policies, retries }) {
  const planned = retries.flatMap(retries => policies.flatMap(policy =>
    ways.filter(({ hasNginx }) => hasNginx || !OF_NGINX.includes(policy))
      .map(way => ({ way, arm: toArm(way, { policy, retries }) }))))
  if (planned.length > 0) return planned
  throw badOption('--files', policies.join(', '), 'nginx carries it out, and no chosen way has nginx in front',
    'Add --way blue-green.')
}

/** @param {Side} side */
const toRecorded = ({ label, ref, commit, changes }) => ({ label, ref, commit, changes })

/**
 * @param {NamedWay} way
 * @param {{ policy: FilePolicy, retries: boolean }} options
 * @returns {RolloutArm}
 */
const toArm = ({ name, title, usedBy, emulated }, options) =>
  ({ way: name, title, usedBy, emulated: emulated ?? null, ...options, rollouts: [] })

/**
 * Counts the files of each build, and those of the old build that the new one does not have.
 * @param {World['sites']} sites
 */
function countFiles (sites) {
  const [before, after] = [sites.old, sites.new].map(({ files, lateFiles }) =>
    new Set([...files, ...lateFiles].map(({ path }) => path)))
  return { old: before.size, new: after.size, gone: [...before].filter(path => !after.has(path)).length }
}

/**
 * @param {Pick<RolloutRequest, 'argv' | 'seed'>} request
 * @returns {Plan}
 */
const createPlan = ({ argv, seed }) => ({
  experiment: 'rollout',
  command: toStoredCommand(argv),
  question: 'What do clients lose while an old build of the app is replaced by a new one?',
  protocol: 'plays',
  result: 'behaviour',
  unit: 'requests',
  arms: [],
  contrasts: [],
  twin: null,
  claims: [],
  cores: 'split',
  seed,
  quick: false,
  targets: { precision: 1, budgetSeconds: 1, minBlocks: 0, maxBlocks: null, adjusted: false }
})

/**
 * @param {Omit<World, 'sites' | 'nginx'> & Partial<World>} world
 * @param {string} name of the folder, which is short
 * @param {(config: string) => string} [change] of the configuration of nginx
 */
const toStage = ({ request, session, builds, nginx = null }, name, change) => openStage({
  builds,
  dir: session.folder(name),
  lab: session.lab,
  cores: session.cores.split ? session.cores.served : null,
  page: request.page,
  readySeconds: request.readySeconds,
  nginx,
  change
})

/**
 * Starts a build alone, and reads what it sends.
 * @param {Build} build
 * @param {Omit<World, 'sites' | 'nginx'>} world
 * @returns {Promise<Site>}
 */
async function inspectBuild (build, world) {
  world.session.printProgress(`inspecting the ${build.name} build`)
  const stage = await toStage(world, build.name)
  try {
    await stage.startApp(build, { port: stage.port })
    const { page, api } = world.request
    return await inspectSite({ url: toUrl(stage), enter: stage.network.enter, page, api, dir: stage.dir })
  } finally {
    await stage.close()
  }
}

/**
 * Tries what the new build does at SIGTERM, apart from rollouts.
 * @param {Omit<World, 'sites' | 'nginx'>} world
 * @returns {Promise<RunRollout['app']>}
 */
async function tryEnd (world) {
  const { session, builds, request: { page, stream, websocket } } = world
  session.printProgress('ending the new build')
  const stage = await toStage(world, 'end')
  try {
    const { network, dir, freePort, startApp } = stage
    const half = await tryAppEnd({
      startApp: async () => startApp(builds.new, { port: await freePort() }), network, dir, page, stream, websocket
    })
    const framework = findFramework(readManifest(builds.new.folder))
    return { faults: findAppFaults(half), framework: framework?.name ?? null }
  } finally {
    await stage.close()
  }
}

/** @param {{ port: number }} stage */
const toUrl = ({ port }) => `http://127.0.0.1:${port}`

/**
 * Replaces the old build under load. A replacement that fails is a result.
 * @param {NamedWay} way
 * @param {RolloutArm} arm
 * @param {{ world: World, index: number }} options index: position in the order of the run
 * @returns {Promise<RolloutResult>}
 */
async function playRollout (way, arm, { world, index }) {
  const { request, session, sites } = world
  const dir = session.folder(`f${index}`)
  const { new: next, nginx, http } = await applyPolicy({ policy: arm.policy, ...world.builds, dir })
  // Above the server of the recommended configuration, and above its main location.
  const change = (/** @type {string} */ config) => config.replace(/^ {4}server \{$/m, text => `${http}${text}`)
    .replace(/^ {8}location \/ \{$/m, text => `${nginx}${text}`)
  const stage = await toStage({ ...world, builds: { ...world.builds, new: next } }, `r${index}`, change)
  /** @type {Pick<RolloutResult, 'beganMs' | 'endedMs' | 'ends' | 'failure'>} */
  const course = { beganMs: clock(), endedMs: clock(), ends: [], failure: null }
  let visits = NO_VISITS
  try {
    const running = await way.start(stage)
    const clients = await openVisits({
      url: toUrl(stage),
      enter: stage.network.enter,
      sites,
      rate: request.rate,
      seed: (request.seed + index) % 2 ** 32,
      dir: stage.dir,
      retries: arm.retries,
      idle: IDLE,
      stream: request.stream,
      websocket: request.websocket
    })
    await sleep(CALM_MS)
    course.beganMs = clock()
    const replaced = await running.replace().catch(error => {
      course.failure = toSentence(error)
      return { ends: [] }
    })
    course.ends = replaced.ends
    course.endedMs = clock()
    await sleep(AFTER_MS)
    visits = await clients.end()
  } catch (error) {
    course.failure ??= toSentence(error)
  } finally {
    await stage.close()
  }
  return { ...visits, ...course, index, events: stage.events }
}

/** @type {Visits} */
const NO_VISITS = { clients: [], losses: [], mixedPages: 0, pages: 0, longestPauseMs: 0, lagMs: 0 }
