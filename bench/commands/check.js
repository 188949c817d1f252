import { cachesToCheck, checkCaches } from '../studies/check/caches/caches-study.js'
import { cachesText } from '../report/caches-text.js'
import { chainsOf, checkServers, serversToCheck } from '../studies/check/check-study.js'
import { checkText } from '../report/check-matrix.js'
import { isInside, onInterrupt, runInside } from '../machine/enclosure.js'
import { HopbenchError } from '../errors.js'
import { prepareHops } from '../studies/programs.js'
import { openWorkspace } from '../studies/session.js'
import { prepareCheck, writeCaches, writeCheck } from '../store/check-results.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('check')
  .description('what static servers get wrong: HTTP conformance and safety, bare and behind proxies')
  .argument('[server...]', 'names from "hopbench list", or files for the proxies themselves (default: all)')
  .option('--bare', 'without proxies')
  .option('--caches', 'what the caches of proxies get right: the arguments are topologies, as in ' +
    'nginx:keepalive+cache=5s (default: each proxy that has a cache)')
  .option('-o, --results <folder>', 'where the last check is kept, as check.json (default: ./results)')
  .option('--json', 'print the record as JSON; progress goes to stderr')
  .addHelpText('after', `
Examples:
  hopbench check sirv express-static
  hopbench check --bare --json
  hopbench check --caches nginx:uds+cache=1m+lock

docs/check.md describes each probe.`)
  .action(async (words, options, command) => {
    if (options.caches) return setExit(await checkedCaches(words, options, command.parent.args))
    const names = await serversToCheck(words)
    if (!isInside()) {
      const bare = await withoutProxies(names, options)
      const code = await runInside(bare && !options.bare ? [...command.parent.args, '--bare'] : command.parent.args)
      if (code !== null) return setExit(code)
      options.bare = bare
    }
    setExit(await check(names, options))
  })

/**
 * Brings the proxies; where they are not available the check goes without them, and says so.
 *
 * @param {string[]} names
 * @param {{ bare?: boolean }} options
 */
async function withoutProxies (names, { bare = false }) {
  try {
    await prepareHops([...(await chainsOf(names, { bare })).values()].flat())
    return bare
  } catch (error) {
    if (!(error instanceof HopbenchError) || error.code !== 'tool-missing') throw error
    process.stderr.write(`${error.message} The servers are checked without a proxy.\n`)
    return true
  }
}

/**
 * @param {string[]} words
 * @param {{ bare?: boolean, json?: boolean, results?: string }} options
 * @param {string[]} args of the command line
 */
async function checkedCaches (words, { bare, json = false, results }, args) {
  if (bare) {
    throw new HopbenchError('bad-option', { option: '--bare', value: true, why: '--caches is about proxies' })
  }
  const arms = await cachesToCheck(words)
  if (!isInside()) {
    await prepareHops(arms)
    const code = await runInside(args)
    if (code !== null) return code
  }
  onInterrupt(() => process.exit(1))
  await prepareCheck(results)
  const workspace = openWorkspace()
  try {
    const record = await checkCaches(arms, { temp: workspace.temp, say: line => { process.stderr.write(`${line}\n`) } })
    const file = await writeCaches(record, results)
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : `\n${cachesText(record, { columns: process.stdout.columns ?? 80, file })}`)
    return 0
  } finally {
    workspace.close()
  }
}

/**
 * @param {string[]} names
 * @param {{ bare?: boolean, json?: boolean, results?: string }} options
 */
async function check (names, { bare = false, json = false, results }) {
  onInterrupt(() => process.exit(1))
  await prepareCheck(results)
  const workspace = openWorkspace()
  try {
    const say = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
    const chains = await chainsOf(names, { bare })
    const record = await checkServers(chains, { temp: workspace.temp, cwd: workspace.cwd, say })
    const file = await writeCheck(record, results)
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : `\n${checkText(record, { columns: process.stdout.columns ?? 80, file })}`)
    return 0
  } finally {
    workspace.close()
  }
}
