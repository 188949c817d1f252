/** Runs `hopbench size --url`: measures one deployed instance, compares it with estimates, stores a record. */
import { splitCores } from '../../../machine/cores.js'
import { createRecord } from '../../../run/pipeline.js'
import { shareName } from '../../../plan/experiment.js'
import { withoutSecrets } from '../../../plan/stored-plan.js'
import { openRun } from '../../../store/store.js'
import { checkLimits } from '../../../request/plan-checks.js'
import { now } from '../../../machine/clocks.js'
import { openSession, utc } from '../../../run/session.js'
import { showPage, showRecord } from '../../../run/show-record.js'
import { countInstances } from '../prices/price.js'
import { createPlan } from '../record.js'
import { measureUrl } from './capacity.js'
import { openUrlRig } from './rig.js'
import { getShares } from './windows.js'

/** @import { Arm, Deployed } from '../../../types.js' */
/** @import { Caps } from './capacity.js' */

/**
 * @typedef {object} UrlRequest
 * @property {Arm} arm of the URL
 * @property {string} address to which all connections go
 * @property {Caps} caps
 * @property {Deployed['goal']} goal
 * @property {Omit<Deployed['estimates'][number], 'ratio'>[]} estimates
 * @property {boolean} quick
 * @property {boolean} json
 * @property {number} seed
 * @property {string} [results]
 */

/**
 * @param {UrlRequest & { argv: readonly string[] }} request argv: command line after `hopbench`
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runUrlSize (request, interrupted) {
  const { arm, address, caps, goal, quick, json, seed, argv } = request
  const startedSeconds = now()
  const startedAt = utc()
  // The load may use all cores, because the served side is elsewhere.
  const session = await openSession({ lab: true, cores: { ...splitCores('shared'), served: [] } })
  try {
    const plan = createPlan({ arms: [arm], ...goal, seed, quick, argv }, getShares(quick))
    checkLimits(plan, session.environment.limits.openFiles)
    const stored = withoutSecrets({ ...plan, experiment: 'size-url' })
    const { cores, note, folder } = session
    const rig = await openUrlRig(arm, { address, temp: folder('url'), cores, caps, now, interrupted })
    const { samples, ...found } = await measureUrl(rig, {
      name: arm.name, ...goal, caps, quick, seed, note, interrupted
    })
    const named = samples.map(({ share, sample }) => ({ ...sample, arm: shareName(arm.name, share), block: 0 }))
    const run = await openRun({ resultsDir: request.results, experiment: stored.experiment, startedAt, plan: stored })
    try {
      await run.append(named)
      const world = { environment: session.environment, startedAt, utc, run: { run: run.run } }
      const record = {
        ...createRecord(stored, world, { samples: named, ended: interrupted() ? 'interrupted' : 'blocks' }),
        kind: /** @type {const} */ ('url-sizing'),
        tools: rig.tools,
        timing: {
          setupSeconds: 0,
          measuredSeconds: named.reduce((sum, { seconds }) => sum + seconds, 0),
          sliceWallSeconds: now() - startedSeconds,
          blocks: 1
        },
        deployed: toDeployed(request, { ...found, roundTrip: rig.roundTrip, sent: rig.sent() })
      }
      await run.writeRecord(record)
      session.progress.end()
      showRecord(record, { json, dir: run.dir })
      await showPage(run.dir, { json, resultsDir: request.results })
      return record.complete ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    session.close()
  }
}

/**
 * Computes the result from what was measured (pure).
 *
 * @param {Pick<UrlRequest, 'arm' | 'goal' | 'caps' | 'estimates'>} request
 * @param {Pick<Deployed, 'capacity' | 'trials' | 'curve' | 'roundTrip' | 'sent'>} found
 * @returns {Deployed}
 */
export function toDeployed ({ arm, goal, caps, estimates }, found) {
  const { capacity, curve, roundTrip } = found
  const idle = curve.find(({ p50Ms }) => p50Ms !== null)
  return {
    url: arm.name,
    goal,
    caps,
    ...found,
    serverP50Ms: idle?.p50Ms == null ? null : Math.max(0, idle.p50Ms - roundTrip.p50Ms),
    instances: countInstances(capacity.rate, goal),
    estimates: estimates.map(estimate => ({ ...estimate, ratio: capacity.rate / estimate.perInstance }))
  }
}
