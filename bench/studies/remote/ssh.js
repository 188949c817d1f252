/** Another machine over the system's own ssh: how it is called, and what it means when it fails (pure). */
import { HopbenchError } from '../../errors.js'
import { withoutControls } from './received.js'

/** @import { Host } from './types.js' */

/** Never a question, which nobody would see: neither for a password nor about a host key that is not known. A
 * connection that died is noticed within a quarter of a minute. Nothing of this account is lent to that machine: no
 * agent, and none of the forwardings that a person's configuration may have for it. */
const OPTIONS = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=10', 'ServerAliveInterval=5',
  'ServerAliveCountMax=3', 'ForwardAgent=no', 'ForwardX11=no', 'ClearAllForwardings=yes']

/** A name may reach a shell by way of a ProxyCommand with %h in it. What begins with a dash would be an option. */
const HOST_NAME = /^(?!-)(?!.*@-)[\p{L}\p{N}_.@:%+-]+$/u

/** @param {string} text one host, or several with commas between them
 * @param {{ option: string, ssh?: string }} typed ssh: the command, as rsync takes it after -e @returns {Host[]}
 * @throws {HopbenchError} bad-option */
export function hostsFrom (text, { option, ssh = 'ssh' }) {
  const refuse = (/** @type {string} */ why) => new HopbenchError('bad-option', { option, value: text, why })
  const names = text.split(',').map(name => name.trim())
  const wrong = names.find(name => !HOST_NAME.test(name))
  if (wrong !== undefined) {
    const stranger = /[^\p{L}\p{N}_.@:%+-]/u.exec(wrong)?.[0]
    const named = stranger === undefined || wrong === '' ? '' : `, and no host name contains "${stranger}"`
    throw refuse(`it takes user@host, or a name that ssh knows${named}`)
  }
  if (new Set(names).size < names.length) throw refuse('a host is named twice')
  const command = ssh.trim().split(/\s+/)
  if (command[0] === '') {
    const why = 'it takes a command, as in "ssh -p 2222"'
    throw new HopbenchError('bad-option', { option: '--ssh', value: ssh, why })
  }
  return names.map(name => ({ name, ssh: command }))
}

/** argv that runs a script of sh on a host, whatever shell its account has.
 * @param {Host} host @param {string} script @returns {string[]} */
export const commandOn = ({ name, ssh }, script) =>
  [...ssh, '-T', ...OPTIONS.flatMap(option => ['-o', option]), '--', name, `sh -c ${quoted(script)}`]

/** @param {string} text */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

/** What ssh says of itself, in the order in which it is looked for. @type {[RegExp, 'ssh-host-key' | 'ssh-denied'][]}
 */
const KNOWN = [
  [/host key verification failed|host key is known|host identification has changed/i, 'ssh-host-key'],
  [/permission denied|too many authentication failures|no supported authentication/i, 'ssh-denied']
]
const OWN_FAILURE = 255 // ssh's own exit code for its own failures (ssh(1)).

/** Why a command on a host did not do what it should.
 * @param {Host} host @param {{ exit: number | null, stderr: string, timedOut?: boolean }} ended
 * @returns {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit */
export function failureOf ({ name, ssh }, { exit, stderr, timedOut = false }) {
  const details = { host: name, ssh: ssh.join(' '), output: withoutControls(stderr) }
  const known = exit === OWN_FAILURE ? KNOWN.find(([says]) => says.test(stderr)) : undefined
  if (known) return new HopbenchError(known[1], details)
  if (exit === OWN_FAILURE || exit === null || timedOut) return new HopbenchError('ssh-failed', details)
  const [why, remedy] = [`a command there ended with ${exit}`, 'Its own lines are above, and say what to mend there.']
  return new HopbenchError('host-unfit', { ...details, why, remedy })
}
