/** Builds ssh commands and translates their failures (pure). */
import { badOption, HopbenchError, quoteForShell } from '../../errors.js'
import { withoutAllControls } from './received.js'

/** @import { Host } from './types.js' */

/** Options of all connections. BatchMode and StrictHostKeyChecking disable prompts for passwords and host keys, because
 * nothing could reply to them. A dead connection is detected after 15 s. The other machine gets no access to this
 * account: neither to the agent nor by the forwardings of the user's configuration. */
const OPTIONS = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=10', 'ServerAliveInterval=5',
  'ServerAliveCountMax=3', 'ForwardAgent=no', 'ForwardX11=no', 'ClearAllForwardings=yes']

/** Names without shell metacharacters, because a ProxyCommand may pass %h to a shell. A leading dash is excluded,
 * because ssh would read an option. */
const HOST_NAME = /^(?!-)(?!.*@-)[\p{L}\p{N}_.@:%+-]+$/u

/**
 * Parses a list of hosts.
 *
 * @param {string} text names separated by commas
 * @param {{ option: string, ssh?: string }} typed option: its name, for errors; ssh: the command, as in rsync -e
 * @returns {Host[]}
 * @throws {HopbenchError} bad-option
 */
export function hostsFrom (text, { option, ssh = 'ssh' }) {
  const refusal = (/** @type {string} */ why) => badOption(option, text, why)
  const names = text.split(',').map(name => name.trim())
  const invalid = names.find(name => !HOST_NAME.test(name))
  if (invalid !== undefined) {
    const character = /[^\p{L}\p{N}_.@:%+-]/u.exec(invalid)?.[0]
    const reason = character === undefined ? '' : `, and a host name cannot contain "${character}"`
    throw refusal(`it takes user@host, or a host of your ssh configuration${reason}`)
  }
  if (new Set(names).size < names.length) throw refusal('a host is named twice')
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
export function failureOf ({ name, ssh }, { exit, stderr, timedOut = false }) {
  const details = { host: name, ssh: ssh.join(' '), output: withoutAllControls(stderr) }
  const known = exit === SSH_FAILURE ? FAILURES.find(([pattern]) => pattern.test(stderr)) : undefined
  if (known) return new HopbenchError(known[1], details)
  if (exit === SSH_FAILURE || exit === null || timedOut) return new HopbenchError('ssh-failed', details)
  const why = `a command there ended with ${exit}`
  const remedy = 'Read its output above, and correct the cause on that machine.'
  return new HopbenchError('host-unfit', { ...details, why, remedy })
}
