import { setTimeout as sleep } from 'node:timers/promises'
import { hostPid, runInside } from '../../machine/network/enclosure.js'
import { badOption } from '../../errors.js'
import { appsFrom } from '../../request/user-apps.js'
import { armFrom } from '../../request/request.js'
import { withRunningArm } from '../../run/running-arm.js'
import { count } from '../../request/option-values.js'
import { OWN_NODE, RELEASE, requestOptions } from '../../request/common-options.js'

/** @import { Arm } from '../../types.js' */
/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => requestOptions(program.command('up')
  .description('start a topology and keep it running for your own client')
  .argument('[topology]', 'topology such as nginx:uds/express-json (default: the app of --app)')
  .option('--port <number>', 'port on 127.0.0.1 (default: a free one)', count('--port', 65535))
  .option('-c, --connections <number>', 'client connections (default: 100)', count('--connections', 1_000_000))
  .option('--lab', 'run it in a private network, and print how to enter that network')
  .option(...OWN_NODE)
  .option(...RELEASE)
  .option('--json', 'print JSON')
  .optionsGroup('Your app, and its requests:'))
  .action(async (spec, options, command) => setExit(await keepUp(spec, options, command.parent.args)))

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
 * @param {string | undefined} spec
 * @param {Record<string, any>} options as typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function keepUp (spec, { port, lab = false, json = false, ...options }, argv) {
  const arm = await armOf(spec, options)
  let interrupt = () => {}
  const stop = new Promise(resolve => { interrupt = () => resolve(true) })
  const world = { port, lab, enclose: () => runInside(argv), interrupt }
  const { exit } = await withRunningArm(arm, world, async ({ running, network, dir, stage, session: { cores } }) => {
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
    return { exit: 0 }
  })
  return exit
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
