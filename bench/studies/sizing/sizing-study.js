/** Carries `hopbench size` out in the real world: the machine, the clock, the store, the terminal. */
import { splitCores } from '../../machine/cores.js'
import { recordOf } from '../../pipeline.js'
import { openRun } from '../../store/store.js'
import { checkLimits } from '../plan-checks.js'
import { now, openSession, utc } from '../session.js'
import { showPage, showRecord } from '../show-record.js'
import { emulationFacts } from './emulation.js'
import { FEWEST_INSTANCES } from './price.js'
import { scalingOf } from './scaling.js'
import { pricesOf, SHARES, sizeTopology } from './size-topology.js'
import { armAt, planOfSizes } from './sizing-plan.js'
import { toVerify, verify } from './verify.js'

/** @import { Arm, OpenRun, Plan, RunRecord } from '../../types.js' @import { Desk, Ground } from '../types.js' */
/** @import { Found, SizeRequest } from './types.js' */

const LOAD_SHARE = 0.5 // Half of the cores make load: an open loop has as many processes as its rate needs.

/** @param {SizeRequest} request @param {() => boolean} interrupted @returns {Promise<number>} exit code */
export async function runSize (request, interrupted) {
  const [startedSeconds, startedAt] = [now(), utc()]
  const session = await openSession({ lab: request.lab, cores: splitCores('split', LOAD_SHARE) })
  try {
    checkLimits(request, session.environment.limits.openFiles)
    const plan = planOfSizes(request.arms, { ...request, shares: SHARES[request.quick ? 'quick' : 'full'] })
    const run = await openRun({ resultsDir: request.results, experiment: plan.experiment, startedAt, plan })
    try {
      /** @type {Found} */
      const found = { samples: [], topologies: [], verification: null, emulation: await emulationFacts() }
      const write = async (/** @type {string | null} */ ended) => {
        const times = { environment: session.environment, startedAt, startedSeconds }
        const record = sizingRecord(plan, run, { request, found, ended, ...times })
        await run.writeRecord(record)
        return record
      }
      await write(null)
      await sizeAll(request, { session, run, found, interrupted, stored: () => write(null) })
      const record = await write(interrupted() ? 'interrupted' : 'blocks')
      session.progress.end()
      showRecord(record, { json: request.json, dir: run.dir })
      await showPage({ record, samples: found.samples, dir: run.dir }, request)
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
 * @param {() => Promise<any>} world.stored keeps what was found */
async function sizeAll (request, { session, run, found, interrupted, stored }) {
  const { arms, rate, p99Ms, quick, seed } = request
  const { lab, cores, cwd, note, folder } = session
  const common = { p99Ms, quick, seed, lab, cores, cwd, note, interrupted, now }
  for (const [i, arm] of arms.entries()) {
    if (interrupted()) break
    const { samples, ...sized } = await sizeTopology(arm, { ...common, temp: folder(`s${i}`) })
    const named = samples.map(({ share, sample }) => ({ ...sample, arm: armAt(arm, share), block: 0 }))
    found.samples.push(...named)
    found.topologies.push(sized)
    await run.append(named)
    await stored()
  }
  if (!request.verify || interrupted()) return
  const table = pricesOf({ ...request, topologies: found.topologies })
  const row = toVerify(table, { rate, cores: cores.served.length })
  const arm = /** @type {Arm} */ (arms.find(({ word }) => word === row.topology))
  found.verification = await verify(arm, { ...common, temp: folder('v'), row, rate })
}

/** @param {Plan} plan @param {OpenRun} run
 * @param {{ request: SizeRequest, found: Found, ended: string | null, startedSeconds: number } & Pick<RunRecord,
 * 'environment' | 'startedAt'>} options */
function sizingRecord (plan, { run }, { request, found, ended, environment, startedAt, startedSeconds }) {
  const { samples, topologies, verification, emulation } = found
  const { rate, p99Ms, headroom } = request
  return {
    ...recordOf(plan, { environment, startedAt, utc, run: { run } }, { samples, ended }),
    tools: Object.assign({}, ...topologies.map(({ tools }) => tools)),
    timing: {
      setupSeconds: 0,
      measuredSeconds: samples.reduce((sum, { seconds }) => sum + seconds, 0),
      sliceWallSeconds: now() - startedSeconds,
      blocks: samples.length > 0 ? 1 : 0
    },
    sizing: {
      goal: { rate, p99Ms, headroom, fewestInstances: FEWEST_INSTANCES },
      topologies,
      table: pricesOf({ ...request, topologies }),
      verification,
      scaling: scalingOf(topologies),
      emulation
    }
  }
}
