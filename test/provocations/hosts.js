/** Other machines that cannot make load. The first three have an sshd in a network namespace. */
import { join } from 'node:path'
import root from '../support/tap.js'
import { enginesFrom } from '../../bench/load/find-engine.js'
import { enginesOnHosts } from '../../bench/load/hosts/engines.js'
import { RemoteProcess } from '../../bench/load/hosts/process.js'
import { inspectHost } from '../../bench/load/hosts/ssh.js'
import { openLoad } from '../../bench/measure/load.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { skipWithout } from '../support/needs.js'
import { makeWorkspace } from '../support/cli.js'
import { fakeHost, orderIn } from '../support/fake-ssh.js'
import { program } from '../support/provoke.js'
import { makeArm } from '../support/record.js'
import { openSshHosts } from '../support/ssh-hosts.js'

/** @import { Provocations } from '../support/provoke.js' */
/** @import { SshHosts } from '../support/ssh-hosts.js' */
/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces')

/** @type {Promise<SshHosts> | undefined} */
let machines

/**
 * Connects to a machine as a run does.
 * @param {(dir: string) => string[]} options of ssh, by the folder with its files
 */
async function reach (options) {
  machines ??= openSshHosts(root, { good: {} })
  const { via, ssh, dir, destination } = await machines
  await inspectHost({ name: destination('good'), ssh: [...via, ssh.split(' ')[0], ...options(dir)] })
}

/**
 * Finds Locust with a worker on another machine.
 * @param {Test} t
 * @param {{ worker: string, master?: string }} options worker: version; master: shell script
 */
async function findLocust (t, { worker, master = '' }) {
  const { dir } = makeWorkspace(t)
  const host = fakeHost(dir, { programs: { locust: `[ "$1" = --version ] && echo locust ${worker} || exec sleep 60` } })
  const { default: plugin } = await loadPlugin('engine', 'locust')
  const local = enginesFrom(async name => ({
    name,
    plugin,
    program: program(dir, 'master', master),
    env: {},
    version: '2.0.0',
    start: async () => { throw new Error('it has no workers') }
  }))
  return { dir, engine: await enginesOnHosts([host], { ofUsers: true, local, waitSeconds: 5 }).find('locust') }
}

/**
 * Starts a load generator on a machine whose ssh runs this script in place of the remote command.
 * @param {Test} t
 * @param {string} script
 */
async function startOver (t, script) {
  const { dir } = makeWorkspace(t)
  const processes = [{ argv: ['true'], env: {} }]
  const child = new RemoteProcess(fakeHost(dir, { script }), { name: 'it', dir: join(dir, 'load'), processes })
  t.teardown(() => child.stop())
  await child.cpu()
}

/** @type {Provocations} */
export default {
  'ssh-host-key': {
    skip,
    provoke: () => reach(dir => ['-F', join(dir, 'config'), '-o', `UserKnownHostsFile=${join(dir, 'none')}`])
  },
  'ssh-denied': { skip, provoke: () => reach(dir => ['-F', join(dir, 'config-stranger')]) },
  'ssh-failed': { skip, provoke: () => reach(dir => ['-F', join(dir, 'config'), '-p', '2223']) },
  'host-unfit': async t => {
    await enginesOnHosts([fakeHost(makeWorkspace(t).dir, { script: 'echo missing' })], { ofUsers: false }).find('wrk')
  },
  'hosts-differ': async t => { await findLocust(t, { worker: '2.1.0' }) },
  'no-workers': async t => {
    const master = 'echo "Gave up waiting for workers to connect" >&2; exit 1'
    const { dir, engine } = await findLocust(t, { worker: '2.0.0', master })
    await engine.start(orderIn(dir))
  },
  'host-unreachable': async t => {
    const { default: plugin } = await loadPlugin('engine', 'wrk')
    const generator = { host: 'me@it', failure: async () => null, kill: async () => {} }
    const engines = enginesFrom(async name => /** @type {any} */ ({ name, plugin, start: async () => generator }))
    const running = { proxied: true, front: async () => ({ requests: 0 }), failure: () => null }
    const { target } = orderIn('')
    /** @type {any} */
    const staged = { arm: makeArm(), dir: t.testdir({}), target, running }
    await openLoad([staged], {
      engine: 'wrk',
      engines,
      mayswitch: false,
      smoke: true,
      limitSeconds: 1,
      cores: { load: [], served: [], split: false },
      maxSeconds: 1,
      printProgress: () => {}
    })
  },
  'host-answer': t => startOver(t, 'echo welcome; cat >/dev/null'),
  'host-lost': t => startOver(t, 'exit 1')
}
