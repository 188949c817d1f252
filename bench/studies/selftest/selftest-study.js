/** The story of `hopbench selftest`: what this machine can tell. Equal arms and arms that differ by a known amount go
 * through the same pipeline as every run; engines are set side by side, the suite against an engine by hand, an open
 * loop against latencies known by calculation. A selftest is stored as a run. */
import { relative } from 'node:path'
import { resolutionOf } from '../../analysis/resolution.js'
import { localEngines } from '../../load/find-engine.js'
import { watchCpu } from '../../machine/environment.js'
import { refuseUntold } from '../../machine/probe.js'
import { openRig } from '../../measure/rig.js'
import { measure } from '../../pipeline.js'
import { planOf } from '../../plan/plan.js'
import { aboutProtocol } from '../../plugins.js'
import { parse } from '../../plan/word.js'
import { openRun, readRun } from '../../store/store.js'
import { measureEngines } from '../engine-comparison/windows.js'
import { armOf } from '../request.js'
import { now, openSession, utc } from '../session.js'
import { showRecord } from '../show-record.js'
import { openSizingRig } from '../sizing/sizing-rig.js'
import { measureByHand } from './by-hand.js'
import { SELFTEST } from './name.js'
import { measureOpenLoop } from './open-loop.js'
import { MORE, ORIGINAL, writePlanted } from './planted.js'

/** @import { Arm, OpenRun, Plan, RunRecord, SelfTest } from '../../types.js' */
/** @import { Desk, Ground } from '../types.js' */

/** Wall time and repetitions; all of a full one together stay below ten minutes. */
const PLANS = {
  full: {
    pilotSeconds: 5,
    planted: 270,
    engines: { blocks: 6, windowSeconds: 2 },
    pairs: 6,
    turns: 1,
    rates: [100, 1000]
  },
  quick: { pilotSeconds: 2, planted: 60, engines: { blocks: 2, windowSeconds: 2 }, pairs: 2, turns: 1, rates: [100] }
}
const SPARE_SECONDS = 120 // A generator that nobody ends stops by itself after this much more.
const NOISE_SECONDS = 2

/** @typedef {Desk & Ground & { times: typeof PLANS['full'], seed: number, interrupted: () => boolean }} Bench what all
 * parts of a selftest share */

/** @param {{ quick: boolean, seed: number, lab: boolean, json: boolean, results?: string }} request
 * @param {() => boolean} interrupted @returns {Promise<number>} exit code */
export async function runSelfTest ({ quick, seed, lab, json, results }, interrupted) {
  const [startedAt, startedSeconds] = [utc(), now()]
  const bench = { ...await openSession({ lab }), times: PLANS[quick ? 'quick' : 'full'], seed, interrupted }
  try {
    bench.note('how much CPU time a request takes')
    const arm = await armOf(ORIGINAL, { connections: 100 })
    const micros = await microsOf(arm, bench)
    const options = { micros, seed, quick, budgetSeconds: bench.times.planted }
    const { plan, planted } = await planOfPlanted(bench.temp, bench.folder('m'), options)
    const run = await openRun({ resultsDir: results, experiment: SELFTEST, startedAt, plan })
    try {
      const record = await measurePlanted(plan, run, { bench, startedAt })
      const { samples } = await readRun(run.dir)
      const shares = await watchCpu({ seconds: NOISE_SECONDS })
      /** @type {SelfTest} */
      const selftest = {
        resolution: resolutionOf({ plan, samples, equal: EQUAL, planted, timing: timingOf(record) }),
        microsPerRequest: micros,
        noise: noiseOf(record, shares),
        counts: countsOf(record),
        ...await instrumentsOf(arm, bench),
        seconds: now() - startedSeconds
      }
      // It measures until its time is over: nobody has asked for a precision.
      const warnings = record.warnings.filter(({ code }) => code !== 'precision-not-reached')
      const whole = { ...record, warnings, selftest, endedAt: utc() }
      await run.writeRecord(whole)
      bench.progress.end()
      showRecord(whole, { json, dir: run.dir })
      return record.complete ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    bench.close()
  }
}

/** Equal arms and planted differences, through the pipeline of every run. @param {Plan} plan @param {OpenRun} run
 * @param {{ bench: Bench, startedAt: string }} options */
const measurePlanted = (plan, run, { bench: { folder, temp, times, lab, cores, environment, ...bench }, startedAt }) =>
  measure(plan, {
    openRig: plan => openRig(plan, {
      temp: folder('r'),
      keepIn: run.dir,
      lab,
      cores,
      engine: plan.arms[0].load.engine,
      engines: localEngines,
      mayswitch: false,
      cwd: temp,
      maxSeconds: times.planted + SPARE_SECONDS,
      note: bench.note
    }),
    run,
    earlier: [],
    now,
    utc,
    interrupted: bench.interrupted,
    progress: bench.progress,
    environment,
    startedSeconds: now(),
    startedAt
  })

/** The engines side by side, the suite against one by hand, and an open loop: null where it was interrupted before.
 * @param {Arm} arm @param {Bench} bench */
async function instrumentsOf (arm, bench) {
  const { times: { engines: windows, pairs, rates, turns }, cores, note, interrupted } = bench
  const compared = interrupted()
    ? null
    : await measureEngines(arm, bedIn(bench, 'e'), { ...windows, seed: bench.seed, note, interrupted })
  const byHand = interrupted()
    ? null
    : await measureByHand(arm, { ...bedIn(bench, 'h'), engines: localEngines, pairs, note })
  const loads = async () =>
    ({ engines: [await localEngines.find('paced')], closed: await localEngines.find('autocannon') })
  const openLoop = interrupted()
    ? null
    : await measureOpenLoop(await loads(), { rates, turns, cores, dir: bench.folder('k'), note })
  const engines = compared && compared.engines.map(({ name, rps, share, bound, toMiddle, agrees }) =>
    ({ name, rps, share, bound, toMiddle, agrees }))
  return { engines, byHand, openLoop }
}

/** @param {Bench} bench @param {string} name of a folder of its own */
const bedIn = ({ folder, temp, lab, cores }, name) => ({ temp: folder(name), lab, cores, cwd: temp })

/** @param {Arm} arm @param {Bench} bench */
async function microsOf (arm, bench) {
  const rig = await openSizingRig(arm, bedIn(bench, 'p'))
  try {
    const { requests, cpuSeconds } = await rig.closed({ seconds: bench.times.pilotSeconds })
    refuseUntold(cpuSeconds, 'what is planted in a selftest')
    return cpuSeconds.server / requests * 1e6
  } finally {
    await rig.close()
  }
}

/** Arms that are the same; the third is the twin that every plan has. */
const EQUAL = ['equal', 'equal again', 'equal (twin)']

/** @param {string} cwd of the rig @param {string} dir takes the modules; below it
 * @param {{ micros: number, seed: number, quick: boolean, budgetSeconds: number }} options */
async function planOfPlanted (cwd, dir, { micros, seed, quick, budgetSeconds }) {
  // Relative: a word holds no space, and the temporary folder may.
  const files = new Map(MORE.map(share => [share, `./${relative(cwd, writePlanted(dir, share, share * micros))}`]))
  const different = MORE.filter(share => share > 0)
    .map(more => ({ arm: `${more * 100} % more`, more, expected: 1 / (1 + more) }))
  const knows = { parse, protocol: await aboutProtocol('slices') }
  const plan = planOf(SELFTEST, {
    title: 'what this machine can tell',
    question: 'What can this machine tell, and in how much time?',
    source: null,
    arms: {
      equal: String(files.get(0)),
      'equal again': String(files.get(0)),
      ...Object.fromEntries(different.map(({ arm, more }) => [arm, String(files.get(more))]))
    },
    protocol: 'slices',
    unit: 'requests',
    load: { path: '/' }
  }, { seed, quick, budgetSeconds, precision: 0.0001, maxBlocks: null }, knows)
  return { plan, planted: different }
}

/** What two arms and a twin would take: a run of the usual kind. @param {RunRecord} record */
function timingOf ({ timing: { setupSeconds, sliceWallSeconds, blocks }, arms }) {
  const share = 3 / arms.length
  return { setupSeconds: setupSeconds * share, blockSeconds: sliceWallSeconds / Math.max(1, blocks) * share }
}

/** Of client and server. @param {RunRecord} record */
const countsOf = ({ arms }) => ({
  arms: arms.length,
  disagreements: arms.flatMap(({ name, invalid }) =>
    invalid?.code === 'counts-disagree' ? [`${name}: ${invalid.text}`] : [])
})

/** Where the noise may come from. @param {RunRecord} record
 * @param {{ busy: number, steal: number } | null} shares of the cores' time just after the load */
function noiseOf ({ environment: { cpu, busy }, arms }, shares) {
  const [first] = arms
  const load = first.cpuMicrosPerRequest && first.rps ? first.cpuMicrosPerRequest.load * first.rps.median / 1e6 : null
  return {
    stealShare: shares?.steal ?? busy.stealShare,
    otherShare: shares?.busy ?? busy.busyShare ?? null,
    governor: cpu.governor,
    virtual: cpu.virtual,
    generatorShare: load
  }
}
