import { splitCores } from '../cores.js'
import { examine } from '../doctor.js'
import { readEnvironment } from '../environment.js'
import { labFacts } from '../lab.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { DEFAULT_RESULTS_DIR } from '../store.js'

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

/**
 * @param {import('commander').Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('doctor')
  .description('whether this machine can measure, and what would make it better')
  .option('--json', 'as JSON')
  .action(async ({ json }) => {
    const environment = await readEnvironment({ lab: await labFacts(), cores: splitCores() })
    const findings = await examine({ environment, tools: await programs(), resultsDir: DEFAULT_RESULTS_DIR })
    process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : textOf(findings))
    setExit(findings.some(({ status }) => status === 'fail') ? 1 : 0)
  })

/** The programs that plug-ins ask for. */
async function programs () {
  const modules = await Promise.all(/** @type {const} */ (['proxy', 'engine'])
    .flatMap(kind => pluginNames(kind).map(name => loadPlugin(kind, name))))
  return modules.map(({ default: plugin }) => plugin).filter(({ about }) => about.packages !== null)
    .map(({ about, version }) => ({ program: about.program, packages: about.packages, install: about.install, version: 'args' in version ? version : null }))
}

/** @param {import('../doctor.js').Finding[]} findings */
const textOf = findings => findings.map(({ name, status, text, remedy }) =>
  `${MARKS[status]}  ${name.padEnd(14)} ${text}\n${remedy ? `${' '.repeat(21)}Try: ${remedy}\n` : ''}`).join('')
