import { setTimeout as sleep } from 'node:timers/promises'
import { hostPid, isEnclosed, onInterrupt, runInside } from '../machine/enclosure.js'
import { badOption, HopbenchError } from '../errors.js'
import { getStagedArm, openStage } from '../measure/stage.js'
import { refuseTakenPorts } from '../request/plan-checks.js'
import { prepareHops } from '../run/programs.js'
import { appsFrom } from '../request/own-apps.js'
import { armFrom } from '../request/request.js'
import { openSession } from '../run/session.js'
import { count } from './shared/option-values.js'
import { OWN_NODE, RELEASE, requestOptions } from './shared/common-options.js'

/** @import { Session } from '../run/types.js' */
/** @import { Arm } from '../types.js' */
/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => requestOptions(program.command('up')
  .description('start a topology and keep it running for your own client')
  .argument('[topology]', 'topology such as nginx:uds/express-json (default: the app of --app)')
  .option('--port <number>', 'port on 127.0.0.1 (default: a free one)', count('--port', 65535))
  .option('-c, --connections <number>', 'client connections (default: 100)',
    count('--connections', 1_000_000))
  .option('--lab', 'run it in a private network, and print how to enter that network')
  .option(...OWN_NODE)
  .option(...RELEASE)
  .option('--json', 'print JSON')
  .optionsGroup('Your app, and its requests:'))
  .action(async (spec, options, command) => {
    const arm = await armOf(spec, options)
    if (!isEnclosed()) {
      if (!options.lab) refuseTakenPorts([arm])
      await prepareHops([arm])
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    setExit(await keepUp(arm, options))
  })

/**
 * @param {string | undefined} spec
 * @param {Record<string, any>} options as typed
 * @returns {Promise<Arm>}
 */
async function armOf (spec, { connections = 100, ...options }) {
  const [app, ...others] = Object.keys(appsFrom(options))
  if (spec === undefined && (app === undefined || others.length > 0)) {
    throw badOption('hopbench up', undefined, 'it takes one topology, as in nginx:uds/express-json')
  }
  return armFrom(spec ?? app, { ...options, connections })
}

/**
 * @param {Arm} arm
 * @param {{ port?: number, lab?: boolean, json?: boolean }} options
 */
async function keepUp (arm, { port, lab = false, json = false }) {
  const session = await openSession({ lab, isCalibrated: false })
  try {
    if (lab && !session.lab) throw new HopbenchError('lab-needed', { name: arm.name, what: '--lab' })
    return await keepUpIn(session, arm, { port, json })
  } finally {
    session.close()
  }
}

/**
 * @param {Session} session
 * @param {Arm} arm
 * @param {{ port?: number, json: boolean }} options
 */
async function keepUpIn ({ temp, lab, cores, cwd }, arm, { port, json }) {
  const stop = new Promise(resolve => onInterrupt(resolve))
  const served = cores.split ? cores.served : null
  const stage = await openStage([arm], { temp, lab, cores: served, cwd, frontPort: port })
  try {
    const { running, network, dir } = getStagedArm(stage, arm.name)
    const pids = running.pids()
    const facts = {
      topology: arm.spec,
      url: running.target.url,
      certificate: running.target.caFile ?? null,
      http3: arm.topology.proxy?.options.http3 === true,
      pids: { proxy: pids.proxy.map(hostPid), server: pids.server.map(hostPid) },
      config: stage.configs(dir),
      enter: lab
        ? network.enter.map(part => part.replace(/^--target=(\d+)$/, (_, pid) => `--target=${hostPid(Number(pid))}`))
        : null,
      cores: cores.split ? cores : null
    }
    process.stdout.write(json ? `${JSON.stringify(facts)}\n` : toText(facts))
    while (!(await Promise.race([stop, sleep(100)]))) {
      const failure = running.failure()
      if (failure) throw failure
    }
    return 0
  } finally {
    await stage.close()
  }
}

/** @param {{ topology: string, url: string, certificate: string | null, http3: boolean, pids: { proxy: number[],
 * server: number[] }, config: string[], enter: string[] | null }} facts */
const toText = ({ pids, config, enter, ...front }) => `${front.topology} is up:

  ${front.url}

${pids.proxy.length ? `  proxy    process ${pids.proxy.join(', ')}\n` : ''}${
    pids.server.length ? `  server   process ${pids.server.join(', ')}\n` : ''
  }${config.map(file => `  config   ${file}\n`).join('')}${
    front.certificate ? `  trust    ${front.certificate}\n` : ''}${
    front.http3 ? `  HTTP/3   curl --http3-only --cacert ${front.certificate} ${front.url}\n` : ''}${
    enter
      ? `\nIt runs in a private network. Enter the network with:\n  ${enter.join(' ')} curl -s ` +
        `${front.certificate ? `--cacert ${front.certificate} ` : ''}${front.url}\n`
      : ''
  }
Press Ctrl-C to stop it.
`
