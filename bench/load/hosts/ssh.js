/** Other machines, reached by the system's ssh: their names, commands, failures, and facts. */
import { networkInterfaces } from 'node:os'
import { badOption, HopbenchError, plain, quoteForShell } from '../../errors.js'
import { run } from '../../machine/process.js'

/** @import { Host, LoadHost } from '../types.js' */

/** Options of all connections. BatchMode and StrictHostKeyChecking disable prompts for passwords and host keys, because
 * nothing could reply to them. A dead connection is detected after 15 s. The other machine gets no access to this
 * account: neither to the agent nor by the forwardings of the user's configuration. */
const OPTIONS = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=10', 'ServerAliveInterval=5',
  'ServerAliveCountMax=3', 'ForwardAgent=no', 'ForwardX11=no', 'ClearAllForwardings=yes']

/** Names without shell metacharacters, because a ProxyCommand may pass %h to a shell. A leading dash is excluded,
 * because ssh would read an option. */
const HOST_NAME = /^(?!-)(?!.*@-)[\p{L}\p{N}_.@:%+-]+$/u

/** Limits of a short command on a host: its time in seconds and its output in bytes. */
const SHORT = { timeoutSeconds: 60, mostBytes: 16_384 }
/** Length of a fact that a host reports, in characters. */
const FACT_LENGTH = 200

/** Prints what the host lacks, and its facts. SSH_CONNECTION begins with the address of this machine (ssh(1)). */
const INSPECT = `
for p in setsid awk dd mktemp; do command -v $p >/dev/null 2>&1 || { echo missing $p; exit 0; }; done
echo address \${SSH_CONNECTION%% *}
echo kernel $(uname -r)
echo cores $(nproc)
echo model $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)`

/**
 * Parses the value of --load-hosts.
 *
 * @param {string} text names separated by commas
 * @param {string} [ssh] the command, as in rsync -e
 * @returns {Host[]}
 * @throws {HopbenchError} bad-option
 */
export function hostsFrom (text, ssh = 'ssh') {
  const rejection = (/** @type {string} */ why) => badOption('--load-hosts', text, why)
  const names = text.split(',').map(name => name.trim())
  const invalid = names.find(name => !HOST_NAME.test(name))
  if (invalid !== undefined) {
    const character = /[^\p{L}\p{N}_.@:%+-]/u.exec(invalid)?.[0]
    const reason = character === undefined ? '' : `, and a host name cannot contain "${character}"`
    throw rejection(`it takes user@host, or a host of your ssh configuration${reason}`)
  }
  if (new Set(names).size < names.length) throw rejection('a host is named twice')
  const command = ssh.trim().split(/\s+/)
  if (command[0] === '') throw badOption('--ssh', ssh, 'it takes a command, as in "ssh -p 2222"')
  return names.map(name => ({ name, ssh: command }))
}

/**
 * Returns the argv that runs a script with sh on a host, independent of the account's login shell.
 *
 * @param {Host} host
 * @param {string} script
 * @returns {string[]}
 */
export const commandOn = ({ name, ssh }, script) =>
  [...ssh, '-T', ...OPTIONS.flatMap(option => ['-o', option]), '--', name, `sh -c ${quoteForShell(script)}`]

/**
 * Connects to a host once, and reads its facts.
 *
 * @param {Host} host
 * @returns {Promise<LoadHost>}
 * @throws {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit
 */
export async function inspectHost (host) {
  const lines = (await ask(host, INSPECT)).split('\n').map(line => plain(line).slice(0, FACT_LENGTH).trim())
  const { missing, address = '', kernel, cores, model } =
    Object.fromEntries(lines.map(line => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]))
  if (missing) throw lacksProgram(host, missing)
  // Rejects the address of a stranger, because it gets the load.
  const isHere = Object.values(networkInterfaces()).some(found => found?.some(own => own.address === address))
  if (!isHere) {
    throw unfit(host, `it was reached from "${address}", which is no address of this machine`,
      'Connect without a gateway between the two machines that changes addresses.')
  }
  const cpu = { model: model || 'unknown', cores: Math.max(1, Number.parseInt(cores) || 1) }
  return { ...host, address, cpu, kernel: kernel || 'unknown', lost: null }
}

/**
 * Returns the version of a program on the PATH of a host.
 *
 * @param {Host} host
 * @param {string} program
 * @param {{ args: string[], parse: (output: string) => string | null }} version
 * @returns {Promise<string>}
 * @throws {HopbenchError} host-unfit, and failures of ssh
 */
export async function findVersion (host, program, { args, parse }) {
  const output = await ask(host, `command -v ${program} >/dev/null 2>&1 || { echo missing; exit 0; }
${program} ${args.map(quoteForShell).join(' ')} 2>&1; exit 0`)
  if (output.trim() === 'missing') throw lacksProgram(host, program)
  const version = parse(output)
  if (version === null) throw unfit(host, `${program} there does not print its version`, `Install ${program} again.`)
  return version
}

/**
 * Returns the output of a short command on a host.
 *
 * @param {Host} host
 * @param {string} script
 */
async function ask (host, script) {
  const result = await run(commandOn(host, script), SHORT)
  if (result.exit !== 0) throw failureOf(host, result)
  return result.stdout
}

/**
 * @param {Host} host
 * @param {string} why
 * @param {string} remedy
 */
const unfit = ({ name }, why, remedy) => new HopbenchError('host-unfit', { host: name, why, remedy })

/**
 * @param {Host} host
 * @param {string} program
 */
const lacksProgram = (host, program) => unfit(host, `${program} is not on its PATH`,
  `Install ${program} there, or set PATH for commands that ssh runs (they read no .profile): ~/.bashrc, or ` +
  '/etc/environment.')

/** Messages of ssh, in the order of precedence. @type {[RegExp, 'ssh-host-key' | 'ssh-denied'][]} */
const FAILURES = [
  [/host key verification failed|host key is known|host identification has changed/i, 'ssh-host-key'],
  [/permission denied|too many authentication failures|no supported authentication/i, 'ssh-denied']
]
/** Exit code of ssh for its own failures (ssh(1)). */
const SSH_FAILURE = 255

/**
 * Translates the failure of a command on a host.
 *
 * @param {Host} host
 * @param {{ exit: number | null, stderr: string, timedOut?: boolean }} result
 * @returns {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit
 */
export function failureOf (host, { exit, stderr, timedOut = false }) {
  const details = { host: host.name, ssh: host.ssh.join(' '), output: stderr }
  const known = exit === SSH_FAILURE ? FAILURES.find(([pattern]) => pattern.test(stderr)) : undefined
  if (known) return new HopbenchError(known[1], details)
  if (exit === SSH_FAILURE || exit === null || timedOut) return new HopbenchError('ssh-failed', details)
  const remedy = 'Read its output above, and correct the cause on that machine.'
  return new HopbenchError('host-unfit', { ...details, why: `a command there ended with ${exit}`, remedy })
}
