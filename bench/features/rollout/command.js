import { badOption } from '../../errors.js'
import { endingOnInterrupt } from '../../machine/network/enclosure.js'
import { JSON_RECORD, NO_LAB, NO_WAIT, RESULTS, SEED, collect } from '../../request/common-options.js'
import { count, oneOf, seconds } from '../../request/option-values.js'
import { pathFrom } from '../../request/request.js'
import { readWords, withSides } from '../diff/index.js'
import { WAYS, chooseWays, findNginx, toBuilds } from './ways.js'

/** @import { Command } from 'commander' */
/** @import { FilePolicy } from '../../types.js' */
/** @import { SideOptions } from '../diff/index.js' */

/** @type {FilePolicy[]} */
const POLICIES = ['new', 'kept', 'attic', 'cdn']
const ROLLOUTS = 5
const RATE = 200
const READY_SECONDS = 60

/**
 * Adds to the values of an option that can be repeated.
 * @template {string} Word
 * @param {string} option
 * @param {Word[]} words
 * @returns {(value: string, earlier?: Word[]) => Word[]}
 */
const several = (option, words) => (value, earlier = []) =>
  [...new Set([...earlier, /** @type {Word} */ (oneOf(option, words)(value))])]

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('rollout')
  .description('count what clients lose while an old build of your app is replaced by a new one')
  .argument('[base | base...head]', 'old build: git ref, two with "..." for their merge base, or a folder')
  .argument('[head]', 'new build: git ref or folder; HEAD: the working tree with uncommitted changes (default)')
  .optionsGroup('Your app:')
  .option('--app <command>', 'command that starts both builds (default: the script "start" of package.json)')
  .option('--cwd <folder>', 'folder of the app in its repository, as in packages/api')
  .option('--install <command>',
    'command that installs the packages of a checkout (default: by its lock file, without running scripts)')
  .option('--build <command>', 'command that builds each state, as in "npm run build"')
  .option('--ready-within <time>', `time limit for its first response (default: ${READY_SECONDS}s)`,
    seconds('--ready-within'))
  .optionsGroup('Its replacement:')
  .option('--way <name>', `${WAYS.join(', ')}; can be repeated (default: all that can replace these builds here)`,
    several('--way', WAYS))
  .option('--files <policy>', 'hashed files of the old build: new (not sent any more), kept (copied into the new ' +
    'build), attic (sent by nginx), cdn (an emulated one); can be repeated (default: new)',
  several('--files', POLICIES))
  .option('--rollouts <number>', `rollouts by each way (default: ${ROLLOUTS})`, count('--rollouts', 100))
  .option('--smoke', 'one rollout by each way, and no trial of the end of the new build')
  .optionsGroup('Its clients:')
  .option('--page <path>', 'page that browsers open (default: /)')
  .option('--path <path>', 'path that an open page requests later, as in /api/items; can be repeated', collect)
  .option('--retry', 'also with clients that reload the page when one of its files is gone')
  .option('--rate <number>', `planned requests per second (default: ${RATE})`, count('--rate', 2000))
  .option('--stream <path>', 'response that does not end, as of server-sent events')
  .option('--websocket <path>', 'WebSocket that stays open')
  .option(...SEED)
  .optionsGroup('Machine and output:')
  .option(...RESULTS)
  .option(...NO_LAB)
  .option(...NO_WAIT)
  .option(...JSON_RECORD)
  .addHelpText('after', `
Examples:
  hopbench rollout main
  hopbench rollout main --way blue-green --way stop-start --path /api/items
  hopbench rollout v1.2.0 v1.3.0 --build 'npm run build' --files new --files kept --retry
  hopbench rollout ./before ./after --app 'node server.js' --smoke`)
  .action(async (base, head, options, command) => {
    const words = [base, head].filter(word => word !== undefined)
    setExit(await rollOut(words, options, command.parent.args))
  })

/**
 * @typedef {SideOptions & { readyWithin?: number, way?: string[], files?: FilePolicy[], rollouts?: number,
 *   smoke?: boolean, page?: string, path?: string[], retry?: boolean, rate?: number, stream?: string,
 *   websocket?: string, seed?: number, lab: boolean, wait?: boolean, json?: boolean }} Flags
 */

/**
 * @param {string[]} words
 * @param {Flags} options
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function rollOut (words, options, argv) {
  readWords(words, 'rollout')
  const { way, files: policies = ['new'], rollouts, smoke = false, retry = false, rate = RATE, path = [] } = options
  if (smoke && rollouts !== undefined) {
    throw badOption('--rollouts', rollouts, '--smoke has one rollout', 'Name one of the two.')
  }
  const paths = {
    page: pathFrom(options.page, '--page') ?? '/',
    api: path.flatMap(text => pathFrom(text) ?? []),
    stream: pathFrom(options.stream, '--stream') ?? null,
    websocket: pathFrom(options.websocket, '--websocket') ?? null
  }
  return withSides(words, options, {
    argv,
    async prepare (sides) {
      const { why } = await findNginx()
      await chooseWays(way, { ...toBuilds(sides), whyNoNginx: why })
    },
    async measure (sides, onReady) {
      // Imported here, because the outer process, which only waits, does not need it.
      const { runRollouts } = await import('./study.js')
      const interrupted = endingOnInterrupt('rollout')
      onReady()
      return runRollouts({
        sides,
        ways: way,
        policies,
        retries: retry ? [false, true] : [false],
        rollouts: smoke ? 1 : rollouts ?? ROLLOUTS,
        rate,
        ...paths,
        triesEnd: !smoke,
        readySeconds: options.readyWithin ?? READY_SECONDS,
        seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
        lab: options.lab,
        json: options.json ?? false,
        results: options.results,
        argv
      }, interrupted)
    }
  })
}
