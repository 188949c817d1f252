import { chmodSync } from 'node:fs'
import { callerCwd } from '../../machine/caller-cwd.js'
import { acquireMachineLock } from '../../machine/machine-lock.js'
import { onInterrupt } from '../../machine/network/enclosure.js'
import { startSupervisor } from '../../machine/process.js'
import { letOthersPass, makeTempDir, makeTempRoot } from '../../machine/files/temp.js'
import { badOption } from '../../errors.js'
import { TARGETS } from '../deploy/index.js'
import { DEFAULT_RESULTS_DIR, openAdvice, reopenAdvice } from '../../store/store.js'
import { printReport } from '../../report/terminal.js'
import { toPlainLine, toStyle, wrap } from '../../report/wrap.js'
import { describeOwnFile } from './advice.js'
import { findOwnFiles } from './own-files.js'
import { adviseRequestFrom } from './request.js'
import { now } from '../../machine/clocks.js'
import { utc } from '../../run/session.js'
import { terminal } from '../../run/show-record.js'
import {
  NO_LAB, NO_WAIT, RESULTS, SEED, WARM_UP, appOptions, collect, mixOptions, onlyPath
} from '../../request/common-options.js'
import { count, oneOf, responseTime } from '../../request/option-values.js'
import { ask as askHere } from '../../request/confirm.js'

/** @import { Command } from 'commander' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Most requests per second of a sizing. */
const MAX_RPS = 100_000_000
const GOAL = '100ms'

const targets = Object.keys(TARGETS)

/** @typedef {AdviseFlags & { wait: boolean, json?: boolean, yes?: boolean, resume?: string | true }} Typed */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => appOptions(mixOptions(program.command('advise')
  .description('decide how to deploy an app: look at it, measure what can change a decision, write a deploy kit')
  .option('--rps <number>', 'total requests per second at the peak, from which instances are counted',
    count('--rps', MAX_RPS))
  .option('--p99 <time>', 'goal for the p99 of the latency, as in 100ms', responseTime('--p99'))
  .option('--provider <name>', 'platform to deploy to, as in fly')
  .option('--target <platform>', `kind of the deploy kit: ${targets.join(', ')} (default: that of the provider)`,
    oneOf('--target', targets))
  .option('--out <folder>', 'folder of the advice and the kit, inside the project (default: ./deploy)')
  .option('--force', 'overwrite existing files')
  .option('--quick', 'measure for three minutes')
  .option(...WARM_UP)
  .option('--yes', 'do not ask for --rps and --p99')
  .optionsGroup('Requests:')
  .option('--path <path>', 'path to request, as in /api/items (default: /)', onlyPath)
  .option('--header <header>', "header of the requests: 'Accept: text/html'; can be repeated", collect)
  .option('--ignore-body <regex>', 'pattern of varying parts of responses, which are not compared')
  .option('--compare <parts>', 'parts of responses to compare: status, length, or status,length (default: all bytes)'))
  .optionsGroup('Running it:')
  .option('--resume [advice]', 'resume an interrupted advice with the same options (default: the last one)')
  .option(...SEED)
  .option(...RESULTS)
  .option(...NO_LAB)
  .option(...NO_WAIT)
  .option('--json', 'print JSON')
  .optionsGroup('Your app (default: npm start):'), { isSingle: true })
  .addHelpText('after', `
Examples:
  hopbench advise --quick
  hopbench advise --app 'npm start' --files /assets=./public --rps 800 --p99 100ms --provider fly
  hopbench advise --har page.har --rps 800 --p99 100ms --provider render

docs/advise.md explains the decisions and their limits.`)
  .action(async (options, command) => setExit(await advise(options, command.parent?.args ?? [])))

/**
 * @param {Typed} typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function advise (typed, argv) {
  const results = typed.results ?? DEFAULT_RESULTS_DIR
  const stored = typed.resume === undefined
    ? null
    : await reopenAdvice(typeof typed.resume === 'string' ? typed.resume : null, results)
  const { own, app } = await findOwnFiles(callerCwd(), typed)
  const given = { ...typed, ...app && { app } }
  for (const file of own.files) printProgress(describeOwnFile(file))
  const options = stored
    ? withStored(given, stored.stored)
    : await withReplies(given, { isTerminal: process.stdin.isTTY, check: adviseRequestFrom })
  const startedSeconds = now()
  const startedAt = utc()
  const request = adviseRequestFrom(options)
  if (stored) rejectOther(stored, request)
  // The workers inherit the lock and end with this process.
  startSupervisor()
  const temp = makeTempRoot()
  let pressed = 0
  let isMeasuring = false
  onInterrupt(() => {
    pressed++
    // Handlers of 'exit' end the app that is looked at.
    if (pressed > 1 || !isMeasuring) process.exit(1)
    process.stderr.write('\nEnding after this block; press Ctrl-C again to stop at once.\n')
  })
  try {
    const [dir, sharedDir] = ['advise', 'shared'].map(name => makeTempDir(temp.path, name))
    // Root gives up its rights in the kit and in nginx, which must reach copies of files. The output of the app stays
    // private.
    if (process.getuid?.() === 0) letOthersPass(sharedDir)
    chmodSync(dir, 0o700)
    const bench = { dir, sharedDir, interrupted: () => pressed }
    const complete = { ...options, results, seed: options.seed ?? Math.floor(Math.random() * 2 ** 32) }
    // Imported here, because a misused option needs none of it.
    const { inspect } = await import('./inspect.js')
    const about = request.about === null ? [] : [`format of the requests: ${request.about}`]
    for (const line of [...about, ...request.notes.map(note => `left out: ${note}`)]) printProgress(line)
    printProgress(`looking at the app: ${request.run}`)
    const found = await inspect(request, { bench, options: complete, today: startedAt, own })
    printFound(found, request)
    const inspectedSeconds = now()
    await acquireMachineLock(argv, options)
    const waitedSeconds = now() - inspectedSeconds
    isMeasuring = true
    const { AdviseStudy } = await import('./study.js')
    const { loadRules } = await import('./decide.js')
    const store = stored ?? await openAdvice({ resultsDir: results, startedAt })
    const study = new AdviseStudy(found.request, found.facts, {
      options: found.options,
      rules: await loadRules(found.facts),
      bench,
      store,
      printProgress,
      kitFault: found.kitFault,
      leftOut: [...request.notes, ...found.leftOut],
      // Excludes the wait for another hopbench.
      startedSeconds: startedSeconds + waitedSeconds,
      startedAt
    })
    const record = await study.run()
    return await show(record, { request, json: options.json ?? false })
  } finally {
    temp.remove()
  }
}

/** Prints a line of progress, which a terminal gets within its columns. @param {string} text */
function printProgress (text) {
  const { isTTY, columns } = process.stderr
  const lines = isTTY ? wrap(text, toStyle(columns).columns, { rest: '  ' }) : [toPlainLine(text)]
  process.stderr.write(`${lines.join('\n')}\n`)
}

/**
 * Prints what the inspection has found.
 * @param {import('./inspect.js').Found} found
 * @param {AdviseRequest} request
 */
function printFound ({ leftOut, kitFault, ...found }, request) {
  for (const text of leftOut) printProgress(`left out: ${text}`)
  if (found.request.prefixes.length > request.prefixes.length) {
    printProgress(`it serves ${found.request.prefixes.map(toText).join(' and ')}`)
  }
  if (kitFault !== null) printProgress(kitFault)
}

/** @param {import('../../types.js').FilePrefix} prefix */
const toText = ({ prefix, folder }) => `the files of ${folder} below ${prefix || '/'}`

/**
 * Adds the load, the provider and the seed of an advice that is resumed: they may have been replies, or drawn.
 * @param {Typed} typed
 * @param {import('../../types.js').StoredAdvice} stored
 * @returns {Typed}
 */
const withStored = (typed, { load: { rps, p99Ms }, facts: { platform: { provider } }, seed }) => ({
  ...typed,
  rps: typed.rps ?? rps ?? undefined,
  p99: typed.p99 ?? (p99Ms === null ? undefined : p99Ms / 1000),
  provider: typed.provider ?? provider ?? undefined,
  seed: typed.seed ?? seed
})

/**
 * @param {{ name: string, stored: import('../../types.js').StoredAdvice }} opened
 * @param {AdviseRequest} request
 * @throws {HopbenchError} bad-option, if the advice was started with other options or files
 */
function rejectOther ({ name, stored }, { typed }) {
  if (stored.request === typed) return
  throw badOption('--resume', name,
    'it was started with other options, or package.json, the lock file or the file of the requests has changed',
    'Repeat the command of its start with --resume, or leave --resume out to measure anew.')
}

/**
 * Prints an advice, and writes it beside the kit.
 * @param {import('../../types.js').AdviceRecord} record
 * @param {{ request: AdviseRequest, json: boolean }} options
 * @returns {Promise<number>} exit code
 */
async function show (record, { request, json }) {
  if (record.endedAt === null) {
    process.stderr.write(`The advice was interrupted. Go on with --resume ${record.advice} and the same options.\n`)
    if (json) process.stdout.write(`${JSON.stringify(record, null, 2)}\n`)
    return 1
  }
  const { writeAdvice } = await import('./write.js')
  const { default: kind } = await import('./kind.js')
  const files = writeAdvice(record, request.out)
  if (json) process.stdout.write(`${JSON.stringify(record, null, 2)}\n`)
  else process.stdout.write(`${printReport(record, kind, terminal())}Written: ${files.join(', ')}\n`)
  return 0
}

/**
 * Options that questions fill in, and those that suppress the questions.
 *
 * @typedef {{ rps?: number, p99?: number, provider?: string, target?: string, yes?: boolean, json?: boolean,
 *   resume?: string | true }} Asked
 */

/**
 * Prompts for the half of the load that is not typed. If neither half is typed, prompts for the platform as well.
 *
 * @template {Asked} O
 * @param {O} options as typed
 * @param {object} terminal
 * @param {boolean} terminal.isTerminal
 * @param {(options: O) => void} terminal.check throws for misused options, before a question
 * @param {(question: string) => Promise<string>} [terminal.ask]
 * @returns {Promise<O>}
 * @throws {import('../../errors.js').HopbenchError} bad-option, for a reply that is no number or time
 */
export async function withReplies (options, { isTerminal, check, ask = askHere }) {
  const { yes = false, json = false, resume, provider, target } = options
  const hasRate = options.rps !== undefined
  const hasGoal = options.p99 !== undefined
  const isAsked = isTerminal && !yes && !json && resume === undefined && !(hasRate && hasGoal)
  if (!isAsked) return options
  // The other half of the load is not known yet.
  check({ ...options, rps: options.rps ?? 1, p99: options.p99 ?? 1 })
  const { rps = await askRate(ask) } = options
  const p99 = rps === undefined ? undefined : options.p99 ?? await askGoal(ask)
  const isPlatformKnown = hasRate || hasGoal || provider !== undefined || target !== undefined
  const platform = isPlatformKnown ? '' : await ask('Platform, as in fly (empty: all, and a kit for docker):')
  return { ...options, rps, p99, ...platform && { provider: platform } }
}

/**
 * @param {(question: string) => Promise<string>} ask
 * @returns {Promise<number | undefined>}
 */
async function askRate (ask) {
  const reply = await ask('Requests per second at the peak (empty: no instances are counted):')
  return reply === '' ? undefined : count('--rps', MAX_RPS)(reply)
}

/**
 * @param {(question: string) => Promise<string>} ask
 * @returns {Promise<number>} seconds
 */
const askGoal = async ask =>
  responseTime('--p99')(await ask(`99 of 100 responses within (empty: ${GOAL}):`) || GOAL)
