/** Describes the processes of a command in the server's place, with variables for the address (pure). */
import { HopbenchError } from '../../errors.js'
import { usesSocket } from '../../plan/predicates.js'
import { print } from '../../plan/spec.js'

/** @import { Address, AppCommand, CommandDescription, ServerHop } from '../../types.js' */
/** @import { DescribeContext } from '../types.js' */
/** @import { Topology, Transport } from '../../types.js' */

/** Environment variable that marks the processes of a command, to find those in other process groups. */
export const MARK = 'HOPBENCH_APP'

/**
 * @param {AppCommand} command
 * @param {Pick<DescribeContext, 'dir' | 'root'>} context
 * @param {Address[]} addresses
 * @returns {CommandDescription}
 */
export const describeCommand = (command, { dir, root }, addresses) => ({
  processes: addresses.map((listen, i) => ({
    argv: ['sh', '-c', command.run],
    env: {
      NODE_ENV: 'production',
      // npm passes on the setting of the project of hopbench, which would skip prestart. npm ignores an empty value.
      npm_config_ignore_scripts: '',
      // Next.js and others listen at $HOSTNAME, which shells and containers set to a name of the machine.
      ...listen.kind === 'unix'
        ? { SOCKET: listen.path }
        : { HOST: listen.host, HOSTNAME: listen.host, PORT: String(listen.port) },
      ...command.servesRoot && { ROOT: root },
      // Otherwise the second pm2-runtime joins the daemon of the first, which is in another network.
      PM2_HOME: `${dir}/pm2-${i}`,
      [MARK]: `${dir}/${i}`
    },
    listen,
    cwd: command.cwd
  })),
  readySeconds: command.readySeconds,
  quiet: command.quiet ?? false
})

/**
 * Returns whether an app listens where a proxy reaches it over a transport.
 * @param {Pick<AppCommand, 'listen'>} command
 * @param {Transport} transport
 */
export const canListen = ({ listen }, transport) => listen.some(way => (way === 'unix') === usesSocket({ transport }))

/**
 * Returns how the command of a topology listens: by TCP on a given port, on a Unix socket, or on a port of its own.
 * @param {Topology} topology
 * @returns {'tcp' | 'unix' | number | null} null: the topology has no command
 * @throws {HopbenchError} bad-topology
 */
export function getListenWay (topology) {
  const { proxy, server } = topology
  if (!server?.command) return null
  const { listen } = server.command
  const onTcp = listen.find(way => way !== 'unix')
  const needsSocket = proxy ? usesSocket(proxy) : onTcp === undefined
  const way = needsSocket ? 'unix' : onTcp
  if (way !== undefined && listen.includes(way)) {
    rejectLauncher(topology, server, way)
    return way
  }
  const [medium, variable, other] = needsSocket ? ['a Unix socket', '$SOCKET', 'keepalive'] : ['TCP', '$PORT', 'uds']
  throw new HopbenchError('bad-topology', {
    spec: print(topology),
    why: `${proxy?.transport} uses ${medium}, and ${server.name} listens on ${printWays(listen)} only`,
    remedy: `Use ${proxy?.name}:${other}/${server.name}. If the app can listen on ${variable}: --listen '${variable}'.`
  })
}

/** @param {AppCommand['listen']} listen */
const printWays = listen =>
  listen.map(way => typeof way === 'number' ? `port ${way}` : way === 'unix' ? '$SOCKET' : '$PORT').join(' and ')

/**
 * Rejects parts of a topology that only the launcher of modules carries out.
 *
 * @param {Topology} topology
 * @param {ServerHop} server
 * @param {'tcp' | 'unix' | number} way
 */
function rejectLauncher (topology, { name, manager, instances, options }, way) {
  const reject = (/** @type {string} */ why) => new HopbenchError('bad-topology', { spec: print(topology), why })
  if (manager !== 'node') throw reject(`${name} is a command, which starts its own processes`)
  const [option] = Object.keys(options)
  if (option !== undefined) throw reject(`${name} is a command, and +${option} is an option of modules`)
  if (instances !== 1 && typeof way === 'number') {
    throw reject(`${name} listens on port ${way} only, and each process needs its own`)
  }
}
