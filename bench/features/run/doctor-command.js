import { splitCores } from '../../machine/cores.js'
import { examine } from './diagnosis.js'
import { measureScore, scoreText } from './machine-score.js'
import { RESULTS } from '../../request/common-options.js'
import { readEnvironment } from '../../machine/environment/environment.js'
import { labFacts } from '../../machine/network/lab.js'
import { acquireMachineLock } from '../../machine/machine-lock.js'
import { inOwnWords } from '../../machine/own-command.js'
import { cachedName } from '../../machine/setup/runtime.js'
import { refreshTools } from '../../machine/tools.js'
import { pastItsEnd, runtimes } from '../../plan/runtimes.js'
import { loadPlugin, pluginNames } from '../../plan/plugins.js'
import { DEFAULT_RESULTS_DIR } from '../../store/store.js'

/** @import { Finding } from '../../machine/types.js' */
/** @import { Command } from 'commander' */

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('doctor')
  .description('check whether this machine is suitable for measurements')
  .option('--json', 'print JSON')
  .option('--score [offering]', 'print only how fast its cores are, and store this for an offering that it is an ' +
    "instance of: 'Fly.io performance-1x'")
  .option(...RESULTS)
  .option('--refresh', 'first download the cached programs again, for security updates')
  .action(async ({ json, refresh, score, results }, command) => {
    if (score !== undefined) {
      await acquireMachineLock(command.parent.args)
      const found = await measureScore(score === true ? null : score, { resultsDir: results })
      process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : inOwnWords(scoreText(found)))
      return
    }
    if (refresh) {
      // A download would disturb a measurement and replace its programs.
      await acquireMachineLock(command.parent.args)
      await refreshTools(await getPrograms(), {
        env: process.env,
        printProgress: line => process.stderr.write(`${line}\n`),
        // Runtimes with a pinned version do not change, so they are kept.
        keep: Object.entries(runtimes).map(([name, runtime]) => cachedName(name, runtime))
      })
    }
    const environment = await readEnvironment({ lab: await labFacts(), cores: splitCores() })
    const findings = await examine({
      environment,
      tools: await getPrograms(),
      runtimes: Object.entries(runtimes),
      lastDay: pastItsEnd(environment.node, new Date().toISOString())?.lastDay,
      resultsDir: results ?? DEFAULT_RESULTS_DIR
    })
    process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : inOwnWords(toText(findings)))
    setExit(findings.some(({ status }) => status === 'fail') ? 1 : 0)
  })

/** Programs that plug-ins need. */
async function getPrograms () {
  const modules = await Promise.all(/** @type {const} */ (['proxy', 'engine'])
    .flatMap(kind => pluginNames(kind).map(name => loadPlugin(kind, name))))
  return modules.map(({ default: plugin }) => plugin).filter(({ about }) => about.packages !== null)
    .map(({ about, version }) => ({
      program: about.program,
      packages: about.packages,
      install: about.install,
      wheel: about.wheel,
      version: 'args' in version ? version : null
    }))
}

/** @param {Finding[]} findings */
const toText = findings => findings.map(({ name, status, text, remedy }) =>
  `${MARKS[status]}  ${name.padEnd(14)} ${text}\n${remedy ? `${' '.repeat(21)}Try: ${remedy}\n` : ''}`).join('')
