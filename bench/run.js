/** Carries a plan out in the real world: the machine, the clock, the store, the terminal. */
import { join } from 'node:path'
import { checkFailures } from './check/failures.js'
import { pinSuite, splitCores } from './cores.js'
import { readEnvironment } from './environment.js'
import { labFacts } from './lab.js'
import { measure } from './pipeline.js'
import { createProgress } from './report/progress.js'
import { renderText } from './report/text.js'
import { checkLimits, whereTyped } from './request.js'
import { DEFAULT_RESULTS_DIR, openRun, readCheck, reopenRun } from './store.js'
import { makeTempRoot } from './temp.js'

/** A generator that nobody ends stops by itself after the budget and this much more. */
const SPARE_SECONDS = 600
const now = () => performance.now() / 1000
const utc = () => new Date().toISOString()

/**
 * @param {import('./request.js').Request} request
 * @param {{ json: boolean, interrupted: () => boolean }} terminal
 * @returns {Promise<number>} exit code
 */
export async function runPlan ({ plan, options }, { json, interrupted }) {
  const startedSeconds = now() - (Date.now() - Number(process.env.HOPBENCH_STARTED ?? Date.now())) / 1000
  const startedAt = utc()
  const cores = splitCores(plan.cores)
  const facts = await labFacts()
  const lab = options.lab && facts.network === 'namespaces'
  const environment = await readEnvironment({
    lab: lab ? facts : { ...facts, network: 'shared-loopback', why: options.lab ? facts.why : '--no-lab was given' },
    cores
  })
  checkLimits(plan, environment.limits.openFiles)
  await pinSuite(cores)
  const temp = makeTempRoot()
  const run = options.resume !== undefined
    ? await reopenRun(options.resume, options.results)
    : { ...await openRun({ resultsDir: options.results, experiment: plan.experiment, startedAt, plan }), samples: [], record: null }
  const checked = await lastCheck(options.results)
  const progress = createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  try {
    const record = await measure(plan, {
      openRig: async plan => (await protocolOf(plan)).open(plan, {
        temp: temp.path,
        keepIn: run.dir,
        lab,
        cores,
        engine: plan.arms[0].load.engine,
        mayswitch: options.engine === undefined,
        cwd: whereTyped(),
        maxSeconds: Math.ceil(plan.targets.budgetSeconds + SPARE_SECONDS),
        note: text => progress.stage(text)
      }),
      run,
      earlier: run.samples,
      now,
      utc,
      interrupted,
      progress,
      bytesFrom: name => checked?.servers.find(server => server.name === name)?.about?.bytesFrom ?? null,
      checked: (server, proxy) => checkFailures(checked, server, proxy),
      environment,
      startedSeconds,
      startedAt: run.record?.startedAt ?? startedAt
    })
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : renderText(record, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR, dir: run.dir }))
    return succeeded(record) ? 0 : 1
  } finally {
    await run.close()
    temp.remove()
  }
}

/**
 * Where errors are what an experiment is about, an arm with errors, or one that was not measured
 * beyond them, is a result.
 * @param {import('./types.d.ts').RunRecord} record
 */
const succeeded = ({ complete, ended, contrasts, plan }) =>
  complete && ended !== 'failed' && (plan.errorsAreResults || contrasts.every(({ verdict }) => verdict !== 'invalid'))

/** @param {import('./types.d.ts').Plan} plan @returns {Promise<import('./measure/rig.js').ProtocolModule>} */
const protocolOf = ({ protocol }) => import(`./protocols/${protocol}.js`)

/**
 * What is known of the servers' failures: from a check on this machine, else from the one that came
 * with the project.
 * @param {string} [results]
 */
const lastCheck = async results => await readCheck(results) ?? await readCheck(join(DEFAULT_RESULTS_DIR, 'reference'))
