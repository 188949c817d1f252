/** A command in place of ssh, which runs the remote command on this machine. */
import { join } from 'node:path'
import { program } from './provoke.js'

/** @import { LoadHost } from '../../bench/load/types.js' */

const FROM = '127.0.0.1 50000 127.0.0.1 22'

/**
 * @param {string} dir folder of the command
 * @param {object} [options]
 * @param {Record<string, string>} [options.programs] shell scripts that are on PATH of the machine, by name
 * @param {string} [options.from] SSH_CONNECTION of the machine
 * @param {string} [options.script] shell script in place of the remote command
 * @returns {LoadHost}
 */
export function fakeHost (dir, { programs = {}, from = FROM, script = 'exec sh -c "$last"' } = {}) {
  for (const [name, text] of Object.entries(programs)) program(dir, name, text)
  const ssh = program(dir, 'fake-ssh', `for last; do :; done
export SSH_CONNECTION='${from}' TMPDIR='${dir}' PATH='${dir}':"$PATH"
${script}`)
  return { name: 'me@it', ssh: [ssh], address: '127.0.0.1', cpu: { model: 'x', cores: 1 }, kernel: '6', lost: null }
}

/**
 * Returns an order for a load generator.
 * @param {string} dir
 * @param {object} [overrides]
 */
export const orderIn = (dir, overrides) => ({
  name: 'it',
  load: { engine: 'wrk', connections: 1, path: '/', headers: {} },
  target: { url: 'http://127.0.0.1:1', socketPath: null, expectBody: null },
  network: { enter: [] },
  cores: null,
  dir: join(dir, 'load'),
  maxSeconds: 1,
  ...overrides
})
