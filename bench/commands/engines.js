import { measureAlone } from '../alone.js'
import { splitCores } from '../cores.js'
import { endingOnInterrupt, isInside, runInside } from '../enclosure.js'
import { readEnvironment } from '../environment.js'
import { PATHS } from '../fixtures.js'
import { labFacts } from '../lab.js'
import { createProgress } from '../report/progress.js'
import { enginesText } from '../report/engines.js'
import { armOf, checkLimits, prepareProxies, whereTyped } from '../request.js'
import { makeTempDir, makeTempRoot } from '../temp.js'
import { count, seed } from '../request/values.js'

/** An app, which is slower than any engine, and files, which are faster than most. */
const TOPOLOGIES = ['nginx:keepalive/express-json', 'nginx/files']
/** The fewest blocks that have a 95 % interval at all; and windows as long as one can wait for. */
const PLANS = { quick: { blocks: 6, windowSeconds: 1 }, full: { blocks: 12, windowSeconds: 2 } }
const CONNECTIONS = 100

/**
 * @param {import('commander').Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('engines')
  .description('run every load generator in turn against one topology: where they agree, and where they cannot')
  .argument('[topology]', `a chain of hops (default: ${TOPOLOGIES.join(', then ')})`)
  .option('--quick', '6 blocks of windows of 1 s, in place of 12 of 2 s')
  .option('--path <path>', 'what is asked for, for an app of your own: /api/items')
  .option('--connections <number>', `client connections (default: ${CONNECTIONS})`, count('--connections', 1_000_000))
  .option('--seed <number>', 'of the order of the windows', seed('--seed'))
  .option('--no-lab', 'share the host\'s loopback instead of a private network')
  .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
  .option('--json', 'print the comparison as JSON; progress goes to stderr')
  .addHelpText('after', `
Examples:
  hopbench engines --quick
  hopbench engines nginx:uds/express-json --connections 50

What each engine can do is told in docs/engines.md.`)
  .action(async (word, options, command) => {
    const arms = await Promise.all((word === undefined ? TOPOLOGIES : [word]).map(topology => armOf(topology, {
      connections: options.connections ?? CONNECTIONS, path: options.path ?? (topology === 'nginx/files' ? PATHS.json : undefined)
    })))
    if (!isInside()) {
      await measureAlone(command.parent.args, options)
      const { enginesFor } = await import('../agreement/windows.js')
      await prepareProxies(arms)
      await enginesFor(arms[0])
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    setExit(await compare(arms, options))
  })

/**
 * @param {import('../types.d.ts').Arm[]} arms
 * @param {{ quick?: boolean, seed?: number, lab: boolean, json?: boolean }} options
 */
async function compare (arms, { quick = false, seed = Math.floor(Math.random() * 2 ** 32), lab: wanted, json = false }) {
  const { measureEngines } = await import('../agreement/windows.js')
  const interrupted = endingOnInterrupt('window')
  const cores = splitCores()
  const facts = await labFacts()
  const lab = wanted && facts.network === 'namespaces'
  const environment = await readEnvironment({
    lab: lab ? facts : { ...facts, network: 'shared-loopback', why: wanted ? facts.why : '--no-lab was given' },
    cores
  })
  checkLimits({ arms }, environment.limits.openFiles)
  const temp = makeTempRoot()
  const progress = createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  const comparisons = []
  try {
    for (const [i, arm] of arms.entries()) {
      if (interrupted()) break
      const comparison = await measureEngines(arm, {
        ...PLANS[quick ? 'quick' : 'full'],
        seed,
        temp: makeTempDir(temp.path, `e${i}`),
        lab,
        cores,
        cwd: whereTyped(),
        note: text => progress.stage(text),
        interrupted
      })
      comparisons.push(comparison)
      if (!json) {
        progress.end()
        process.stdout.write(`${i > 0 ? '\n\n' : ''}${enginesText(comparison, { columns: process.stdout.columns, color: process.stdout.isTTY && !process.env.NO_COLOR })}`)
      }
    }
    progress.end()
    if (json) process.stdout.write(`${JSON.stringify({ seed, environment, comparisons }, null, 2)}\n`)
    return !interrupted() && comparisons.every(({ engines }) => engines.length > 0 && engines.every(({ rps }) => rps)) ? 0 : 1
  } finally {
    temp.remove()
  }
}
