import { checkConfigs, getConfigArms, getSubjects } from '../deploy/index.js'
import { checkPath, isConfigPath } from '../own-config/index.js'
import { checkFailures, isUnsafe } from '../../judge/check-failures.js'
import { cachesToCheck, checkCaches } from './caches/study.js'
import { cachesKind, configsKind, serversKind } from './kind.js'
import { toReportPages } from './report-pages.js'
import { printReport } from '../../report/terminal.js'
import { terminal } from '../../run/show-record.js'
import { isEnclosed, onInterrupt, runInside } from '../../machine/network/enclosure.js'
import { findNetworkTool } from '../../machine/network/lab.js'
import { badOption, HopbenchError } from '../../errors.js'
import { rejectTakenPorts } from '../../request/plan-checks.js'
import { prepareHops } from '../../run/programs.js'
import { openWorkspace } from '../../run/session.js'
import { prepareCheck, writeCaches, writeCheck, writeConfigs, writeReports } from '../../store/check-results.js'
import { appsFrom } from '../../request/user-apps.js'
import { withReleases } from '../../request/user-release.js'
import { JSON_RECORD, OWN_NODE, RELEASE, appOptions } from '../../request/common-options.js'

/** @import { Command } from 'commander' */
/** @import { Apps } from '../../request/user-apps.js' */
/** @import { Workspace } from '../../run/types.js' */
/** @import { Report } from '../../types.js' */

/** Printed where the proxies of --configs do not run in a private network. */
const OPEN_NETWORK = 'This machine refuses a private network: until the check ends, other machines can reach the ' +
  'proxies, which listen on all addresses, on ports from 18100.\n'

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => appOptions(program.command('check')
  .description('check HTTP conformance and safety of static servers, alone and behind proxies')
  .argument('[server...]', 'names from "hopbench list", or files for the proxies themselves (default: all, over two ' +
    'of the four transports); or your nginx.conf, Caddyfile, haproxy.cfg, httpd.conf or default.vcl, its folder, a ' +
    'compose.yaml, or - for the output of nginx -T')
  .option('--host <name>', 'of your configuration: host of the requests, which chooses its block (default: all blocks)')
  .option('--quick', 'of your configuration: leave out behaviours that last a minute')
  .option('--sarif', 'of your configuration: print the findings as SARIF, for code scanning')
  .option('--bare', 'check the servers without proxies')
  .option('--caches', 'check the caches of proxies; arguments: topologies, as in nginx:keepalive+cache=5s')
  .option('--configs', 'check recommended configurations and deploy kits; arguments: proxies and targets')
  .option('--report', 'write a page about each failure into reports/ of the results, for the tracker of its project')
  .option('-o, --results <folder>', 'folder of check.json (default: ./results)')
  .option(...OWN_NODE)
  .option(...RELEASE)
  .option(...JSON_RECORD)
  .optionsGroup('Your own static server, which serves the folder in $ROOT, or the app behind your configuration:'))
  .addHelpText('after', `
Examples:
  hopbench check sirv express-static
  hopbench check ./nginx.conf --app 'npm start'
  hopbench check --bare --json
  hopbench check --app 'npx serve -l $PORT $ROOT'
  hopbench check --caches nginx:uds+cache=1m+lock
  hopbench check --configs nginx heroku

docs/check.md describes each probe.`)
  .action(async (words, options, command) => {
    // Topologies of --caches have slashes, too.
    if (!options.caches && words.some(isConfigPath)) {
      return setExit(await checkPath(words, options, command.parent.args))
    }
    rejectUnused(options)
    rejectOwn(options)
    if (options.report && (options.configs || options.caches)) {
      throw badOption('--report', true, 'it is for the check of servers', 'Leave it out.')
    }
    if (options.configs) return setExit(await checkProxyConfigs(words, options, command.parent.args))
    if (options.caches) return setExit(await checkProxyCaches(words, options, command.parent.args))
    const apps = appsFrom(options)
    const names = await (await import('./study.js')).serversToCheck(words, apps)
    const wanted = { ...options, few: [...words, ...Object.keys(apps)].length === 0, apps }
    if (isEnclosed()) return setExit(await check(names, wanted))
    const bare = !await findProxiesFor(names, wanted)
    const code = await runInside(bare && !options.bare ? [...command.parent.args, '--bare'] : command.parent.args)
    setExit(code ?? await check(names, { ...wanted, bare }))
  })

/**
 * Installs the proxies. If they are not available, prints a note, and the servers are checked without them.
 * @param {string[]} names
 * @param {{ bare?: boolean, few: boolean, apps: Apps, ownNode?: boolean, release?: string }} options
 * @returns {Promise<boolean>} whether proxies take part
 */
async function findProxiesFor (names, { bare = false, few, apps, ownNode, release }) {
  const { chainsOf } = await import('./study.js')
  const arms = [...(await chainsOf(names, { bare, few, apps, ownNode, release })).values()].flat()
  for (const note of (await withReleases(arms, release)).notes) process.stderr.write(`${note}\n`)
  rejectTakenPorts(arms)
  try {
    await prepareHops(arms)
    return !bare
  } catch (error) {
    if (!(error instanceof HopbenchError) || error.code !== 'tool-missing') throw error
    process.stderr.write(`${error.message} The servers are checked without a proxy.\n`)
    return false
  }
}

/**
 * @param {string[]} words
 * @param {{ bare?: boolean, json?: boolean, results?: string, release?: string }} options
 * @param {string[]} args of the command line
 */
async function checkProxyCaches (words, { bare, json = false, results, release }, args) {
  if (bare) throw badOption('--bare', true, '--caches is about proxies')
  const arms = await cachesToCheck(words, release)
  if (!isEnclosed()) {
    await prepareHops(arms)
    const code = await runInside(args)
    if (code !== null) return code
  }
  await inWorkspace(results, json, async ({ temp }) => {
    const record = await checkCaches(arms, { temp, printProgress: writeProgress })
    return { record, kind: cachesKind, file: await writeCaches(record, results) }
  })
  return 0
}

/**
 * @param {string[]} words names of proxies and of targets of kits
 * @param {{ bare?: boolean, caches?: boolean, json?: boolean, results?: string }} options
 * @param {string[]} args of the command line
 * @returns {Promise<number>} exit code: 1 if a behaviour fails
 */
async function checkProxyConfigs (words, { bare, caches, json = false, results }, args) {
  if (bare || caches) throw badOption('--configs', true, 'it is a check of its own, without --bare and --caches')
  const known = getSubjects()
  const unknown = words.find(spec => !known.some(({ name }) => name === spec))
  if (unknown !== undefined) {
    throw badOption('--configs', unknown, 'there is no such proxy or kit',
      `Take ${known.map(({ name }) => name).join(', ')}.`)
  }
  const subjects = words.length > 0 ? known.filter(({ name }) => words.includes(name)) : known
  if (!isEnclosed()) {
    await prepareHops(getConfigArms(subjects))
    const ip = await findNetworkTool()
    if (!ip) process.stderr.write(OPEN_NETWORK)
    const code = await runInside(args, { ip })
    if (code !== null) return code
  }
  const { cells } = await inWorkspace(results, json, async ({ temp }) => {
    const record = await checkConfigs({ subjects, temp, printProgress: writeProgress })
    return { record, kind: configsKind, file: await writeConfigs(record, results) }
  })
  return cells.some(({ outcome }) => outcome === 'fails') ? 1 : 0
}

/**
 * @param {string[]} names
 * @param {{ bare?: boolean, few: boolean, json?: boolean, report?: boolean, results?: string, apps: Apps,
 *   ownNode?: boolean, release?: string }} options
 * @returns {Promise<number>} exit code: 1 if an app of your own fails a probe of safety
 */
async function check (names, { report, ...options }) {
  const { bare = false, few, json = false, results, apps, ownNode, release } = options
  const { chainsOf, checkServers } = await import('./study.js')
  const chains = await chainsOf(names, { bare, few, apps, ownNode, release })
  const record = await inWorkspace(results, json, async ({ temp, cwd }) => {
    const record = await checkServers(chains, { temp, cwd, printProgress: writeProgress })
    const reports = report ? await writeReports(toReportPages(record), results) : null
    if (reports) writeProgress(`A page about each failure: ${reports}`)
    return { record, kind: serversKind, file: await writeCheck(record, results) }
  })
  return Object.keys(apps).some(name => isUnsafe(checkFailures(record, name))) ? 1 : 0
}

/**
 * Rejects options that have no effect: --files, because the servers of a check serve a folder of the check; --app and
 * --own-node with checks that send requests to a server of the check; and --release with --configs.
 * @param {Record<string, any>} options as typed
 */
function rejectUnused ({ app, caches, configs, ...options }) {
  const { files, filesHidden, ownNode, release } = options
  const hasOwnServer = configs || caches
  const check = configs ? '--configs' : '--caches'
  const leaveOut = 'Leave it out.'
  const served = 'the servers of a check serve the folder in $ROOT'
  if (files) throw badOption('--files', files[0], served, leaveOut)
  if (filesHidden !== undefined) throw badOption('--files-hidden', filesHidden, served, leaveOut)
  if (configs && release !== undefined) {
    throw badOption('--release', release, '--configs tries the configurations and kits for the installed programs',
      leaveOut)
  }
  if (hasOwnServer && ownNode) throw badOption('--own-node', true, `${check} starts no built-in server`, leaveOut)
  if (hasOwnServer && app !== undefined) {
    throw badOption(`${check} with --app`, true,
      'this check tries proxies in front of a server of its own, which counts their requests',
      'Leave --app out, or check your app alone and behind proxies without --configs and --caches.')
  }
}

/**
 * Rejects options of a configuration of one's own, which other checks ignore.
 * @param {{ host?: string, quick?: boolean, sarif?: boolean }} options as typed
 */
function rejectOwn ({ host, quick, sarif }) {
  const used = Object.entries({ host, quick, sarif }).find(([, value]) => value !== undefined)
  if (used) throw badOption(`--${used[0]}`, used[1], 'it is for a configuration of your own', 'Name the path of one.')
}

/**
 * Carries out a check in a temporary folder and prints its record.
 * @template Checked
 * @param {string | undefined} results folder
 * @param {boolean} json
 * @param {(workspace: Workspace) => Promise<{ record: Checked, kind: Report<Checked>, file: string }>} carryOut
 * @returns {Promise<Checked>}
 */
async function inWorkspace (results, json, carryOut) {
  onInterrupt(() => process.exit(1))
  await prepareCheck(results)
  const workspace = openWorkspace()
  try {
    const { record, kind, file } = await carryOut(workspace)
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : `${printReport(record, kind, terminal())}Stored in: ${file}\n`)
    return record
  } finally {
    workspace.close()
  }
}

const writeProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
