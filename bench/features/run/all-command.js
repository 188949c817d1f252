import { resolve } from 'node:path'
import { acquireMachineLock } from '../../machine/machine-lock.js'
import { onInterrupt } from '../../machine/network/enclosure.js'
import { inOwnWords } from '../../machine/own-command.js'
import { badOption, HopbenchError } from '../../errors.js'
import { nearest } from '../../shared/nearest.js'
import { loadExperiments } from '../../plan/plugins.js'
import { runSuite, suiteLine, suiteSummary } from './suite.js'
import { DEFAULT_RESULTS_DIR, openSuite, reopenSuite } from '../../store/store.js'
import { NO_WAIT, OWN_NODE, RELEASE, RESULTS } from '../../request/common-options.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('all')
  .description('run all experiments, and continue after failures')
  .option('--quick', '6 blocks (12 with the protocol gang) and unadjusted intervals')
  .option('--only <names>', 'run only these experiments, as in uds,cache')
  .option('--resume [suite]', 'run the missing experiments of a suite (default: the last one)')
  .option(...RESULTS)
  .option(...OWN_NODE)
  .option(...RELEASE)
  .option(...NO_WAIT)
  .option('--json', 'print JSON')
  .addHelpText('after', `
Examples:
  hopbench all --quick
  hopbench all --only uds,cache
  hopbench all --resume`)
  .action(async (options, command) => setExit(await all(options, command.parent?.args ?? [])))

/**
 * @param {object} options
 * @param {boolean} [options.quick]
 * @param {string} [options.only]
 * @param {string | true} [options.resume]
 * @param {string} [options.results]
 * @param {boolean} [options.ownNode]
 * @param {string} [options.release]
 * @param {boolean} options.wait
 * @param {boolean} [options.json]
 * @param {string[]} argv of hopbench
 */
async function all ({ quick = false, only, resume, ...options }, argv) {
  const { results, ownNode, release, wait, json = false } = options
  const resultsDir = resolve(results ?? DEFAULT_RESULTS_DIR)
  if (resume !== undefined && (quick || only)) {
    throw badOption('--resume', true, 'a suite is resumed with its own options', 'Leave out --quick and --only.')
  }
  const experiments = await chooseExperiments(only)
  // The runs of the suite inherit the lock.
  await acquireMachineLock(argv, { wait })
  const suite = resume === undefined
    ? await openSuite({ resultsDir, startedAt: new Date().toISOString(), quick, experiments })
    : await reopenSuite(resume === true ? null : resume, resultsDir)
  const { entries } = suite.record
  const width = Math.max(...entries.map(({ experiment }) => experiment.length))
  const out = json ? process.stderr : process.stdout
  const startedAt = performance.now()
  let pressed = 0
  onInterrupt(() => {
    pressed++
    process.stderr.write('\nEnding this experiment after its current block; press Ctrl-C again to stop it at once.\n')
  })
  const record = await runSuite(suite, {
    resultsDir,
    runOptions: { ownNode, release },
    interrupted: () => pressed,
    utc: () => new Date().toISOString(),
    begins: ({ experiment }, position) => {
      if (process.stderr.isTTY) process.stderr.write(`${experiment} (${position} of ${entries.length}) …`)
    },
    ends (entry) {
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
      out.write(`${suiteLine(entry, width)}\n`)
    }
  })
  const seconds = (performance.now() - startedAt) / 1000
  out.write(`\n${inOwnWords(suiteSummary(record, { dir: suite.dir, seconds }))}`)
  if (json) process.stdout.write(`${JSON.stringify(record, null, 2)}\n`)
  return record.entries.every(({ status }) => status === 'done') ? 0 : 1
}

/**
 * Returns the names of the experiments to run, sorted, without duplicates.
 * @param {string} [only] names as typed; left out: all experiments
 * @throws {HopbenchError} unknown-plugin
 */
async function chooseExperiments (only) {
  const known = (await loadExperiments()).map(({ name }) => name)
  if (only === undefined) return known
  const wanted = only.split(',').map(name => name.trim())
  const unknown = wanted.find(name => !known.includes(name))
  if (unknown !== undefined) {
    throw new HopbenchError('unknown-plugin', {
      kind: 'experiment',
      name: unknown,
      folder: 'bench/experiments',
      known,
      nearest: nearest(unknown, known)
    })
  }
  return known.filter(name => wanted.includes(name))
}
