/** Carries `hopbench size` out in the real world: the machine, the clock, the store, the terminal. */
import { splitCores } from '../../machine/cores.js'
import { recordOf } from '../../pipeline.js'
import { withoutSecrets } from '../../plan/stored-plan.js'
import { openRun } from '../../store/store.js'
import { checkLimits } from '../plan-checks.js'
import { sizingAnswer } from '../../report/sizing-text.js'
import { now, openSession, utc } from '../session.js'
import { showPage, showRecord } from '../show-record.js'
import { emulationFacts } from './emulation.js'
import { moreOf } from './more-processes.js'
import { cpuOf } from './offerings.js'
import { withoutRefuted } from './price.js'
import { scalingOf } from './scaling.js'
import { pricesOf, SHARES, sizeTopology } from './size-topology.js'
import { armAt, planOfSizes } from './sizing-plan.js'
import { refuseUnfit } from './unfit.js'
import { canVerify, toVerify, verify } from './verify.js'

/** @import { Arm, OpenRun, Plan, RunRecord, SizedTopology, Sizing } from '../../types.js' */
/** @import { Desk, Ground } from '../types.js' */
/** @import { Found, SizeRequest } from './types.js' */

/** Plans that are verified at most, each in half a minute: where the cheapest does not hold the goal, the next one. */
const VERIFIED_IN = ['v', 'w', 'x']
const LOAD_SHARE = 0.5 // Half of the cores make load: an open loop has as many processes as its rate needs.

/** @param {SizeRequest} request @param {() => boolean} interrupted @returns {Promise<number>} exit code */
export async function runSize (request, interrupted) {
  const [startedSeconds, startedAt] = [now(), utc()]
  const session = await openSession({ lab: request.lab, cores: splitCores('split', LOAD_SHARE) })
  try {
    checkLimits(request, session.environment.limits.openFiles)
    const shares = SHARES[request.quick ? 'quick' : 'full']
    const plan = withoutSecrets(planOfSizes(request.arms, { ...request, shares }))
    const run = await openRun({ resultsDir: request.results, experiment: plan.experiment, startedAt, plan })
    try {
      /** @type {Found} */
      const found = {
        samples: [], topologies: [], verification: null, refuted: [], emulation: await emulationFacts()
      }
      const write = async (/** @type {string | null} */ ended) => {
        const times = { environment: session.environment, startedAt, startedSeconds }
        const record = sizingRecord(plan, run, { request, found, ended, ...times })
        await run.writeRecord(record)
        return record
      }
      await write(null)
      await sizeAll(request, { session, run, found, interrupted, stored: () => write(null), startedSeconds })
      const record = await write(interrupted() ? 'interrupted' : 'blocks')
      session.progress.end()
      showRecord(record, { json: request.json, dir: run.dir })
      await showPage(run.dir, request)
      if (record.complete) refuseUnfit(record.sizing)
      return record.complete && (found.verification?.holds ?? true) ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    session.close()
  }
}

/** One topology after the other, and then the cheapest under its plan's limits. @param {SizeRequest} request
 * @param {object} world @param {Desk & Ground} world.session @param {OpenRun} world.run
 * @param {Found} world.found takes what comes @param {() => boolean} world.interrupted
 * @param {() => Promise<any>} world.stored keeps what was found
 * @param {number} world.startedSeconds */
async function sizeAll (request, world) {
  const { session, run, found, interrupted, stored } = world
  const { arms, rate, p99Ms, quick, seed, confidence, soakSeconds } = request
  const { lab, cores, cwd, note, folder, progress } = session
  const common = { p99Ms, quick, seed, confidence, soakSeconds, lab, cores, cwd, note, interrupted, now }
  const first = (/** @type {SizedTopology} */ provisional) => {
    progress.note(`so far, after ${Math.round(now() - world.startedSeconds)} s: ` +
      sizingAnswer(sizingOf(request, { ...found, topologies: [...found.topologies, provisional] })))
  }
  for (const [i, arm] of arms.entries()) {
    if (interrupted()) break
    const { samples, ...sized } = await sizeTopology(arm, { ...common, first, temp: folder(`s${i}`) })
    const named = samples.map(({ share, sample }) => ({ ...sample, arm: armAt(arm, share), block: 0 }))
    found.samples.push(...named)
    const wide = request.plans.some(plan => Number(cpuOf(plan)) >= 2)
    const two = wide && !interrupted() ? await moreOf(arm, { ...common, temp: folder(`m${i}`) }) : []
    found.topologies.push({ ...sized, ...two.length > 0 && { more: two } })
    await run.append(named)
    await stored()
  }
  if (!request.verify) return
  for (const name of VERIFIED_IN) {
    if (interrupted()) return
    const { table } = sizingOf(request, found)
    const row = toVerify(table, { rate, cores: cores.served.length })
    const arm = /** @type {Arm} */ (arms.find(({ word }) => word === row.topology))
    found.verification = await verify(arm, { ...common, temp: folder(name), row, rate })
    const rest = withoutRefuted(table, [found.verification])
    // The last that is left, or is tried, stays in the table: the record says that it does not hold.
    if (found.verification.holds || name === VERIFIED_IN.at(-1) || !canVerify(rest, cores.served.length)) return
    found.refuted.push(found.verification)
  }
}

/** @param {Plan} plan @param {OpenRun} run
 * @param {{ request: SizeRequest, found: Found, ended: string | null, startedSeconds: number } & Pick<RunRecord,
 * 'environment' | 'startedAt'>} options */
function sizingRecord (plan, { run }, { request, found, ended, environment, startedAt, startedSeconds }) {
  const { samples, topologies } = found
  return {
    ...recordOf(plan, { environment, startedAt, utc, run: { run } }, { samples, ended }),
    tools: Object.assign({}, ...topologies.map(({ tools }) => tools)),
    timing: {
      setupSeconds: 0,
      measuredSeconds: samples.reduce((sum, { seconds }) => sum + seconds, 0),
      sliceWallSeconds: now() - startedSeconds,
      blocks: samples.length > 0 ? 1 : 0
    },
    sizing: sizingOf(request, found)
  }
}

/** @param {SizeRequest} request @param {Found} found @returns {Sizing} */
function sizingOf (request, { topologies, verification, refuted, emulation }) {
  const { rate, p99Ms, headroom, min, max, profile, confidence, plans } = request
  const wish = { rate, headroom, fewest: min, most: max, profile, today: utc() }
  return {
    goal: { rate, p99Ms, headroom, fewestInstances: min, mostInstances: max, profile, confidence },
    topologies,
    table: withoutRefuted(pricesOf({ topologies, plans, p99Ms, ...wish }), refuted),
    verification,
    ...refuted.length > 0 && { refuted },
    scaling: scalingOf(topologies),
    emulation
  }
}
