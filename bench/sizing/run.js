/** Carries `hopbench size` out in the real world: the machine, the clock, the store, the terminal. */
import { splitCores } from '../cores.js'
import { readEnvironment } from '../environment.js'
import { explain } from '../errors.js'
import { labFacts } from '../lab.js'
import { recordOf } from '../pipeline.js'
import { createProgress } from '../report/progress.js'
import { renderText } from '../report/text.js'
import { checkLimits, whereTyped } from '../request.js'
import { openRun } from '../store.js'
import { makeTempDir, makeTempRoot } from '../temp.js'
import { emulationFacts } from './emulation.js'
import { armAt, planOfSizes } from './plan.js'
import { FEWEST_INSTANCES } from './price.js'
import { scalingOf } from './scaling.js'
import { pricesOf, SHARES, sizeTopology } from './size.js'
import { toVerify, verify } from './verify.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').RunRecord} RunRecord */

/** Half of the cores make load: an open loop has as many processes as its rate needs. */
const LOAD_SHARE = 0.5
const now = () => performance.now() / 1000
const utc = () => new Date().toISOString()

/**
 * @typedef {object} SizeRequest
 * @property {Arm[]} arms a topology each
 * @property {number} rate requests per second, in all
 * @property {number} p99Ms
 * @property {number} headroom share
 * @property {import('./plans.js').Plan[]} plans
 * @property {boolean} verify
 * @property {boolean} quick
 * @property {boolean} lab
 * @property {boolean} json
 * @property {number} seed
 * @property {string} [results]
 */

/**
 * @param {SizeRequest} request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runSize (request, interrupted) {
  const { arms, rate, p99Ms, headroom, plans, quick, seed } = request
  const [startedSeconds, startedAt] = [now(), utc()]
  const cores = splitCores('split', LOAD_SHARE)
  const facts = await labFacts()
  const lab = request.lab && facts.network === 'namespaces'
  const environment = await readEnvironment({ lab: lab ? facts : { ...facts, network: 'shared-loopback', why: request.lab ? facts.why : '--no-lab was given' }, cores })
  checkLimits({ arms }, environment.limits.openFiles)
  const plan = planOfSizes(arms, { rate, p99Ms, seed, quick, shares: SHARES[quick ? 'quick' : 'full'] })
  const temp = makeTempRoot()
  const run = await openRun({ resultsDir: request.results, experiment: plan.experiment, startedAt, plan })
  const progress = createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  const common = { p99Ms, quick, seed, lab, cores, cwd: whereTyped(), note: (/** @type {string} */ text) => progress.stage(text), interrupted, now }
  /** @type {import('../types.d.ts').Sample[]} */
  const samples = []
  /** @type {import('./size.js').SizedTopology[]} */
  const topologies = []
  const emulation = await emulationFacts()
  /** @type {import('./verify.js').Verification | null} */
  let verification = null
  const write = async (/** @type {string | null} */ ended) => {
    const table = pricesOf({ topologies, plans, rate, p99Ms, headroom })
    /** @type {RunRecord} */
    const record = {
      ...recordOf(plan, { environment, startedAt, utc, run: { run: run.run } }, { samples, ended }),
      tools: Object.assign({}, ...topologies.map(({ tools }) => tools)),
      timing: { setupSeconds: 0, measuredSeconds: samples.reduce((sum, { seconds }) => sum + seconds, 0), sliceWallSeconds: now() - startedSeconds, blocks: samples.length > 0 ? 1 : 0 },
      sizing: { goal: { rate, p99Ms, headroom, fewestInstances: FEWEST_INSTANCES }, topologies, table, verification, scaling: scalingOf(topologies), emulation }
    }
    await run.writeRecord(record)
    return record
  }
  try {
    await write(null)
    for (const [i, arm] of arms.entries()) {
      if (interrupted()) break
      const { samples: measured, ...sized } = await sizeTopology(arm, { ...common, temp: makeTempDir(temp.path, `s${i}`) })
      const named = measured.map(({ share, sample }) => ({ ...sample, arm: armAt(arm, share), block: 0 }))
      samples.push(...named)
      topologies.push(sized)
      await run.append(named)
      await write(null)
    }
    if (request.verify && !interrupted()) {
      const row = toVerify(pricesOf({ topologies, plans, rate, p99Ms, headroom }), { rate, cores: cores.served.length })
      const arm = /** @type {Arm} */ (arms.find(({ word }) => word === row.topology))
      verification = await verify(arm, { ...common, temp: makeTempDir(temp.path, 'v'), row, rate })
    }
    const record = await write(interrupted() ? 'interrupted' : 'blocks')
    progress.end()
    process.stdout.write(request.json
      ? `${JSON.stringify(record, null, 2)}\n`
      : renderText(record, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR, dir: run.dir }))
    const page = await keepPage(record, samples, run.dir)
    if (page && !request.json) process.stdout.write(`Charts: ${page}\n`)
    return record.complete && (verification?.holds ?? true) ? 0 : 1
  } finally {
    progress.end()
    await run.close()
    temp.remove()
  }
}

/**
 * @param {RunRecord} record
 * @param {import('../types.d.ts').Sample[]} samples
 * @param {string} dir
 * @returns {Promise<string | null>} the file; null: there is none
 */
async function keepPage (record, samples, dir) {
  try {
    const { writeReport } = await import('../report-file.js')
    return await writeReport({ record, samples, dir })
  } catch (error) {
    process.stderr.write(`The report page was not written: ${explain(error).text}\n`)
    return null
  }
}
