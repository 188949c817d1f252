/** A command in the server's place: how it learns where to listen (pure). */
import { HopbenchError } from '../errors.js'
import { print } from '../plan/word.js'

/** @import { Address, AppCommand, CommandDescription, DescribeContext, ServerHop, Topology } from '../types.js' */

/** The command's own name for its run, by which a process that has left its group is found. */
export const MARK = 'HOPBENCH_APP'

/** @param {ServerHop & { command: AppCommand }} hop @param {DescribeContext} context @param {Address[]} addresses
 * @returns {CommandDescription} */
export const describeCommand = ({ command }, { dir }, addresses) => ({
  processes: addresses.map(listen => ({
    argv: ['sh', '-c', command.run],
    env: { NODE_ENV: 'production', ...variablesFor(listen), [MARK]: dir },
    listen,
    cwd: command.cwd
  })),
  readySeconds: command.readySeconds,
  quiet: command.quiet ?? false
})

/** @param {Address} listen @returns {Record<string, string>} */
const variablesFor = listen =>
  listen.kind === 'unix' ? { SOCKET: listen.path } : { HOST: listen.host, PORT: String(listen.port) }

/** How a topology's command is to listen. @param {Topology} topology
 * @returns {'tcp' | 'unix' | number | null} null: it starts no command @throws {HopbenchError} bad-topology */
export function wayOf (topology) {
  const { proxy, server } = topology
  if (!server?.command) return null
  const { listen } = server.command
  const onTcp = listen.find(way => way !== 'unix')
  const wanted = proxy ? (proxy.transport?.startsWith('uds') ? 'unix' : onTcp) : onTcp ?? 'unix'
  if (wanted !== undefined && listen.includes(wanted)) {
    refuseManager(topology, wanted)
    return wanted
  }
  const [way, sign] = wanted === 'unix' ? ['a Unix socket', '$SOCKET'] : ['TCP', '$PORT']
  throw new HopbenchError('bad-topology', {
    word: print(topology),
    why:
      `${proxy?.transport} goes over ${way}, and nothing says that ${server.name} can listen there: --listen '${sign}'`
  })
}

/** @param {Topology} topology @param {'tcp' | 'unix' | number} way */
function refuseManager (topology, way) {
  const { name, manager, instances } = /** @type {ServerHop} */ (topology.server)
  const why = manager !== 'node'
    ? `${name} is a command, which brings its own processes`
    : instances !== 1 && typeof way === 'number'
      ? `${name} listens on port ${way} only, and each process needs its own`
      : null
  if (why) throw new HopbenchError('bad-topology', { word: print(topology), why })
}
