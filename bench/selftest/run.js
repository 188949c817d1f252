/**
 * The story of `hopbench selftest`: what this machine can tell. Equal arms and arms that differ by a known amount go through the same
 * pipeline as every run; engines are set side by side, the suite against an engine by hand, an open loop against
 * latencies known by calculation. A selftest is stored as a run.
 */
import { measureEngines } from '../agreement/windows.js'
import { pinSuite, splitCores } from '../cores.js'
import { readEnvironment, watchCpu } from '../environment.js'
import { localEngines } from '../find-engine.js'
import { labFacts } from '../lab.js'
import { openRig } from '../measure/rig.js'
import { measure } from '../pipeline.js'
import { planOf } from '../plan.js'
import { refuseUntold } from '../probe.js'
import { createProgress } from '../report/progress.js'
import { renderText } from '../report/text.js'
import { armOf } from '../request.js'
import { openSizingRig } from '../sizing/rig.js'
import { openRun, readRun } from '../store.js'
import { makeTempDir, makeTempRoot } from '../temp.js'
import { parse } from '../topology/word.js'
import { measureByHand } from './by-hand.js'
import { measureOpenLoop } from './open-loop.js'
import { SELFTEST } from './name.js'
import { MORE, ORIGINAL, writePlanted } from './planted.js'
import { resolutionOf } from './resolution.js'

/** @typedef {import('../types.d.ts').SelfTest} SelfTest */

/** Wall time and repetitions; all of a full one together stay below ten minutes. */
const PLANS = {
  full: { pilotSeconds: 5, planted: 270, engines: { blocks: 6, windowSeconds: 2 }, pairs: 6, turns: 1, rates: [100, 1000] },
  quick: { pilotSeconds: 2, planted: 60, engines: { blocks: 2, windowSeconds: 2 }, pairs: 2, turns: 1, rates: [100] }
}
/** A generator that nobody ends stops by itself after this much more. */
const SPARE_SECONDS = 120
const NOISE_SECONDS = 2
const now = () => performance.now() / 1000
const utc = () => new Date().toISOString()

/**
 * @param {{ quick: boolean, seed: number, lab: boolean, json: boolean, results?: string }} request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runSelfTest ({ quick, seed, lab: wanted, json, results }, interrupted) {
  const times = PLANS[quick ? 'quick' : 'full']
  const [startedAt, startedSeconds] = [utc(), now()]
  const cores = splitCores()
  const facts = await labFacts()
  const lab = wanted && facts.network === 'namespaces'
  const environment = await readEnvironment({ lab: lab ? facts : { ...facts, network: 'shared-loopback', why: wanted ? facts.why : '--no-lab was given' }, cores })
  await pinSuite(cores)
  const temp = makeTempRoot()
  const dirOf = (/** @type {string} */ name) => makeTempDir(temp.path, name)
  const progress = createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  const note = (/** @type {string} */ text) => progress.stage(text)
  try {
    note('how much CPU time a request takes')
    const arm = await armOf(ORIGINAL, { connections: 100 })
    const micros = await microsOf(arm, { temp: dirOf('p'), lab, cores, seconds: times.pilotSeconds })
    const { plan, planted } = planOfPlanted(dirOf('m'), { micros, seed, quick, budgetSeconds: times.planted })
    const run = await openRun({ resultsDir: results, experiment: SELFTEST, startedAt, plan })
    try {
      const record = await measure(plan, {
        openRig: plan => openRig(plan, { temp: dirOf('r'), keepIn: run.dir, lab, cores, engine: plan.arms[0].load.engine, engines: localEngines, mayswitch: false, cwd: temp.path, maxSeconds: times.planted + SPARE_SECONDS, note }),
        run,
        earlier: [],
        now,
        utc,
        interrupted,
        progress,
        environment,
        startedSeconds: now(),
        startedAt
      })
      const { samples } = await readRun(run.dir)
      const shares = await watchCpu({ seconds: NOISE_SECONDS })
      const engines = interrupted() ? null : await measureEngines(arm, { ...times.engines, seed, temp: dirOf('e'), lab, cores, cwd: temp.path, note, interrupted })
      const byHand = interrupted() ? null : await measureByHand(arm, { engines: localEngines, pairs: times.pairs, temp: dirOf('h'), lab, cores, note })
      const openLoop = interrupted()
        ? null
        : await measureOpenLoop({ engines: [await localEngines.find('paced')], closed: await localEngines.find('autocannon'), rates: times.rates, turns: times.turns, cores, dir: dirOf('k'), note })
      /** @type {SelfTest} */
      const selftest = {
        resolution: resolutionOf({ plan, samples, equal: EQUAL, planted, timing: timingOf(record) }),
        microsPerRequest: micros,
        noise: noiseOf(record, shares),
        counts: { arms: record.arms.length, disagreements: record.arms.flatMap(({ name, invalid }) => invalid?.code === 'counts-disagree' ? [`${name}: ${invalid.text}`] : []) },
        engines: engines && engines.engines.map(({ name, rps, share, bound, toMiddle, agrees }) => ({ name, rps, share, bound, toMiddle, agrees })),
        byHand,
        openLoop,
        seconds: now() - startedSeconds
      }
      // It measures until its time is over: nobody has asked for a precision.
      const whole = { ...record, warnings: record.warnings.filter(({ code }) => code !== 'precision-not-reached'), selftest, endedAt: utc() }
      await run.writeRecord(whole)
      progress.end()
      process.stdout.write(json
        ? `${JSON.stringify(whole, null, 2)}\n`
        : renderText(whole, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR, dir: run.dir }))
      return record.complete ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    progress.end()
    temp.remove()
  }
}

/** @param {import('../types.d.ts').Arm} arm @param {{ temp: string, lab: boolean, cores: import('../cores.js').CoreSplit, seconds: number }} options */
async function microsOf (arm, { seconds, ...options }) {
  const rig = await openSizingRig(arm, { ...options, cwd: options.temp })
  try {
    const { requests, cpuSeconds } = await rig.closed({ seconds })
    refuseUntold(cpuSeconds, 'what is planted in a selftest')
    return cpuSeconds.server / requests * 1e6
  } finally {
    await rig.close()
  }
}

/** Arms that are the same; the third is the twin that every plan has. */
const EQUAL = ['equal', 'equal again', 'equal (twin)']

/**
 * @param {string} dir takes the modules
 * @param {{ micros: number, seed: number, quick: boolean, budgetSeconds: number }} options
 */
function planOfPlanted (dir, { micros, seed, quick, budgetSeconds }) {
  const files = new Map(MORE.map(share => [share, writePlanted(dir, share, share * micros)]))
  const different = MORE.filter(share => share > 0).map(more => ({ arm: `${more * 100} % more`, more, expected: 1 / (1 + more) }))
  const plan = planOf(SELFTEST, {
    title: 'what this machine can tell',
    question: 'What can this machine tell, and in how much time?',
    source: null,
    arms: {
      equal: String(files.get(0)), 'equal again': String(files.get(0)), ...Object.fromEntries(different.map(({ arm, more }) => [arm, String(files.get(more))]))
    },
    protocol: 'slices',
    unit: 'requests',
    load: { path: '/' }
  }, { seed, quick, budgetSeconds, precision: 0.0001, maxBlocks: null }, parse)
  return { plan, planted: different }
}

/** What two arms and a twin would take: a run of the usual kind. @param {import('../types.d.ts').RunRecord} record */
function timingOf ({ timing: { setupSeconds, sliceWallSeconds, blocks }, arms }) {
  const share = 3 / arms.length
  return { setupSeconds: setupSeconds * share, blockSeconds: sliceWallSeconds / Math.max(1, blocks) * share }
}

/**
 * Where the noise may come from.
 * @param {import('../types.d.ts').RunRecord} record
 * @param {{ busy: number, steal: number } | null} shares of the cores' time just after the load
 * @returns {SelfTest['noise']}
 */
function noiseOf ({ environment: { cpu, busy }, arms }, shares) {
  const [first] = arms
  const load = first.cpuMicrosPerRequest && first.rps ? first.cpuMicrosPerRequest.load * first.rps.median / 1e6 : null
  return { stealShare: shares?.steal ?? busy.stealShare, otherShare: shares?.busy ?? busy.busyShare ?? null, governor: cpu.governor, virtual: cpu.virtual, generatorShare: load }
}
