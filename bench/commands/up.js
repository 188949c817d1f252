import { setTimeout as sleep } from 'node:timers/promises'
import { hostPid, isInside, onInterrupt, runInside } from '../machine/enclosure.js'
import { HopbenchError } from '../errors.js'
import { openStage } from '../measure/stage.js'
import { prepareHops } from '../studies/programs.js'
import { armFrom } from '../studies/request.js'
import { openSession } from '../studies/session.js'
import { count } from './shared/option-values.js'
import { requestOptions } from './shared/request-options.js'

/** @import { StagedArm } from '../measure/stage.js' */
/** @import { Session } from '../studies/types.js' */
/** @import { Arm } from '../types.js' */
/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => requestOptions(program.command('up')
  .description('start a topology, print its URL and hold it, for any client of your own')
  .argument('<topology>', 'a chain of hops such as nginx:uds/express-json')
  .option('--port <number>', 'port on 127.0.0.1 (default: a free one)', count('--port', 65535))
  .option('-c, --connections <number>', 'client connections it must hold (default: 100)',
    count('--connections', 1_000_000))
  .option('--lab', 'in a private network; prints how to enter it')
  .option('--json', 'print url, pids and paths as JSON')
  .optionsGroup('Your app, and its requests:'))
  .action(async (word, options, command) => {
    const arm = await armFrom(word, { ...options, connections: options.connections ?? 100 })
    if (!isInside()) {
      await prepareHops([arm])
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    setExit(await hold(arm, options))
  })

/**
 * @param {Arm} arm
 * @param {{ port?: number, lab?: boolean, json?: boolean }} options
 */
async function hold (arm, { port, lab = false, json = false }) {
  const session = await openSession({ lab })
  try {
    if (lab && !session.lab) throw new HopbenchError('lab-needed', { name: arm.name, what: '--lab' })
    return await holdIn(session, arm, { port, json })
  } finally {
    session.close()
  }
}

/**
 * @param {Session} session
 * @param {Arm} arm
 * @param {{ port?: number, json: boolean }} options
 */
async function holdIn ({ temp, lab, cores, cwd }, arm, { port, json }) {
  const stop = new Promise(resolve => onInterrupt(resolve))
  const served = cores.split ? cores.served : null
  const stage = await openStage([arm], { temp, lab, cores: served, cwd, frontPort: port })
  try {
    const refused = stage.refused.get(arm.name)
    if (refused) throw new HopbenchError('gate-refused', { name: arm.name, why: refused.text })
    const { running, network, dir } = /** @type {StagedArm} */ (stage.arms.get(arm.name))
    const pids = running.pids()
    const facts = {
      topology: arm.word,
      url: running.target.url,
      certificate: running.target.caFile ?? null,
      pids: { proxy: pids.proxy.map(hostPid), server: pids.server.map(hostPid) },
      config: stage.configs(dir),
      enter: lab
        ? network.enter.map(part => part.replace(/^--target=(\d+)$/, (_, pid) => `--target=${hostPid(Number(pid))}`))
        : null,
      cores: cores.split ? cores : null
    }
    process.stdout.write(json ? `${JSON.stringify(facts)}\n` : textOf(facts))
    while (!(await Promise.race([stop, sleep(100)]))) {
      const failure = running.failure()
      if (failure) throw failure
    }
    return 0
  } finally {
    await stage.close()
  }
}

/** @param {{ topology: string, url: string, certificate: string | null, pids: { proxy: number[], server: number[] },
 * config: string[], enter: string[] | null }} facts */
const textOf = ({ topology, url, certificate, pids, config, enter }) => `${topology} is up:

  ${url}

${pids.proxy.length ? `  proxy    process ${pids.proxy.join(', ')}\n` : ''}${
    pids.server.length ? `  server   process ${pids.server.join(', ')}\n` : ''
  }${config.map(file => `  config   ${file}\n`).join('')}${certificate ? `  trust    ${certificate}\n` : ''}${
    enter
      ? `\nIt lives in a network of its own. Enter it with:\n  ${enter.join(' ')} curl -s ` +
        `${certificate ? `--cacert ${certificate} ` : ''}${url}\n`
      : ''
  }
Ctrl-C stops it.
`
