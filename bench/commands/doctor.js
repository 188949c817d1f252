import { splitCores } from '../machine/cores.js'
import { examine } from '../machine/diagnosis.js'
import { readEnvironment } from '../machine/environment.js'
import { labFacts } from '../machine/lab.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { cachedName } from '../machine/setup/runtime.js'
import { refreshTools } from '../machine/tools.js'
import { pastItsEnd, runtimes } from '../plan/runtimes.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { DEFAULT_RESULTS_DIR } from '../store/store.js'

/** @import { Finding } from '../machine/shapes.js' */
/** @import { Command } from 'commander' */

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('doctor')
  .description('whether this machine can measure, and what would make it better')
  .option('--json', 'as JSON')
  .option('--refresh', 'first fetch the cached programs again, for their security updates')
  .action(async ({ json, refresh }, command) => {
    if (refresh) {
      // Fetching would disturb a suite that measures, and take its programs away.
      await acquireMachineLock(command.parent.args)
      await refreshTools(await programs(), {
        env: process.env,
        say: line => process.stderr.write(`${line}\n`),
        // A pinned version is what it was: only those that are pinned no more have to go.
        keep: Object.entries(runtimes).map(([name, runtime]) => cachedName(name, runtime))
      })
    }
    const environment = await readEnvironment({ lab: await labFacts(), cores: splitCores() })
    const findings = await examine({
      environment,
      tools: await programs(),
      runtimes: Object.entries(runtimes),
      lastDay: pastItsEnd(environment.node, new Date().toISOString())?.lastDay,
      resultsDir: DEFAULT_RESULTS_DIR
    })
    process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : textOf(findings))
    setExit(findings.some(({ status }) => status === 'fail') ? 1 : 0)
  })

/** The programs that plug-ins ask for. */
async function programs () {
  const modules = await Promise.all(/** @type {const} */ (['proxy', 'engine'])
    .flatMap(kind => pluginNames(kind).map(name => loadPlugin(kind, name))))
  return modules.map(({ default: plugin }) => plugin).filter(({ about }) => about.packages !== null)
    .map(({ about, version }) => ({
      program: about.program,
      packages: about.packages,
      install: about.install,
      version: 'args' in version ? version : null
    })
    )
}

/** @param {Finding[]} findings */
const textOf = findings => findings.map(({ name, status, text, remedy }) =>
  `${MARKS[status]}  ${name.padEnd(14)} ${text}\n${remedy ? `${' '.repeat(21)}Try: ${remedy}\n` : ''}`).join('')
