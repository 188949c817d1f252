import { setTimeout as sleep } from 'node:timers/promises'
import { splitCores } from '../cores.js'
import { hostPid, isInside, onInterrupt, runInside } from '../enclosure.js'
import { HopbenchError } from '../errors.js'
import { labFacts } from '../lab.js'
import { armOf, prepareProxies, whereTyped } from '../request.js'
import { openStage } from '../measure/stage.js'
import { makeTempRoot } from '../temp.js'
import { count } from '../request/values.js'

/**
 * @param {import('commander').Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('up')
  .description('start a topology, print its URL and hold it, for any client of your own')
  .argument('<topology>', 'a chain of hops such as nginx:uds/express-json')
  .option('--port <number>', 'port on 127.0.0.1', count('--port', 65535))
  .option('--connections <number>', 'client connections it must hold', count('--connections', 1_000_000))
  .option('--path <path>', 'what is asked for before it counts as up')
  .option('--lab', 'in a private network; prints how to enter it')
  .option('--json', 'print url, pids and paths as JSON')
  .action(async (word, options, command) => {
    const arm = await armOf(word, { connections: options.connections ?? 100, path: options.path })
    if (!isInside()) {
      await prepareProxies([arm])
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    setExit(await hold(arm, options))
  })

/**
 * @param {import('../types.d.ts').Arm} arm
 * @param {{ port?: number, lab?: boolean, json?: boolean }} options
 */
async function hold (arm, { port, lab = false, json = false }) {
  const facts = await labFacts()
  if (lab && facts.network !== 'namespaces') throw new HopbenchError('lab-needed', { name: arm.name, what: '--lab' })
  const cores = splitCores()
  const temp = makeTempRoot()
  const stop = new Promise(resolve => onInterrupt(resolve))
  const stage = await openStage([arm], {
    temp: temp.path, lab, cores: cores.split ? cores.served : null, cwd: whereTyped(), frontPort: port
  })
  try {
    const refused = stage.refused.get(arm.name)
    if (refused) throw new HopbenchError('gate-refused', { name: arm.name, why: refused.text })
    const { running, network, dir } = /** @type {import('../measure/stage.js').StagedArm} */ (stage.arms.get(arm.name))
    const pids = running.pids()
    const facts = {
      topology: arm.word,
      url: running.target.url,
      certificate: running.target.caFile ?? null,
      pids: { proxy: pids.proxy.map(hostPid), server: pids.server.map(hostPid) },
      config: stage.configs(dir),
      enter: lab ? network.enter.map(part => part.replace(/^--target=(\d+)$/, (_, pid) => `--target=${hostPid(Number(pid))}`)) : null,
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
    temp.remove()
  }
}

/** @param {{ topology: string, url: string, certificate: string | null, pids: { proxy: number[], server: number[] }, config: string[], enter: string[] | null }} facts */
const textOf = ({ topology, url, certificate, pids, config, enter }) => `${topology} is up:

  ${url}

${pids.proxy.length ? `  proxy    process ${pids.proxy.join(', ')}\n` : ''}${pids.server.length ? `  server   process ${pids.server.join(', ')}\n` : ''}${
  config.map(file => `  config   ${file}\n`).join('')}${
  certificate ? `  trust    ${certificate}\n` : ''}${
  enter ? `\nIt lives in a network of its own. Enter it with:\n  ${enter.join(' ')} curl -s ${certificate ? `--cacert ${certificate} ` : ''}${url}\n` : ''}
Ctrl-C stops it.
`
