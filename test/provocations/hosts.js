/** Other machines that cannot take part. The first four have an sshd in a network namespace each. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import root from '../support/tap.js'
import { loadPlugin } from '../../bench/plugins.js'
import { enginesFrom, findEngine, localEngines } from '../../bench/load/find-engine.js'
import { startGenerator } from '../../bench/load/generator.js'
import { Channel } from '../../bench/studies/remote/channel.js'
import { install } from '../../bench/studies/remote/install-project.js'
import { serveLoad } from '../../bench/studies/remote/load-service.js'
import { enginesWithWorkers } from '../../bench/studies/remote/locust-workers.js'
import { enginesOfSeveral } from '../../bench/studies/remote/several.js'
import { skipWithout } from '../support/needs.js'
import { converse } from '../../bench/machine/process.js'
import { makeWorkspace } from '../support/cli.js'
import { program } from '../support/provoke.js'
import { openSshHosts, otherPath } from '../support/ssh-hosts.js'

/** @import { Provocations } from '../support/provoke.js' */
/** @import { SshHosts } from '../support/ssh-hosts.js' */
/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces')

/** @type {Promise<SshHosts> | undefined} */
let machines

/**
 * Puts the project on a machine as a run does.
 * @param {'good' | 'noNode'} name
 * @param {(dir: string) => string[]} [options] of ssh, by the folder with its files
 */
async function putOn (name, options = dir => ['-F', join(dir, 'config')]) {
  machines ??= openMachines()
  const { via, ssh, dir, destination } = await machines
  await install({ name: destination(name), ssh: [...via, ssh.split(' ')[0], ...options(dir)] })
}

/** Opens the machines once for all provocations of this file. */
async function openMachines () {
  const path = join(makeWorkspace(root).dir, 'bin')
  mkdirSync(path)
  return openSshHosts(root, { good: {}, noNode: { path: await otherPath(path, { node: null }) } })
}

/** Opens both ends of a channel to a generator. @param {Test} t */
function channels (t) {
  const [there, back] = [new PassThrough(), new PassThrough()]
  const pair = [new Channel('one', { input: back, output: there }),
    new Channel('other', { input: there, output: back })]
  t.teardown(() => pair.forEach(channel => channel.close()))
  return pair
}

/** Returns the engines of a machine that has another version of them. @param {string} version */
const enginesOf = version => enginesFrom(async name => ({ ...await findEngine(name), version }))

/** @type {Provocations} */
export default {
  'ssh-host-key': {
    skip,
    provoke: () =>
      putOn('good', dir => ['-F', join(dir, 'config'), '-o', `UserKnownHostsFile=${join(dir, 'none')}`])
  },
  'ssh-denied': { skip, provoke: () => putOn('good', dir => ['-F', join(dir, 'config-stranger')]) },
  'ssh-failed': { skip, provoke: () => putOn('good', dir => ['-F', join(dir, 'config'), '-p', '2223']) },
  'host-unfit': { skip, provoke: () => putOn('noNode') },
  'hosts-differ': () =>
    enginesOfSeveral([{ name: 'one', engines: enginesOf('9.0.0') }, { name: 'other', engines: enginesOf('9.1.0') }])
      .find('autocannon'),
  'no-workers': async t => {
    const { dir } = makeWorkspace(t)
    const { default: locust } = await loadPlugin('engine', 'locust')
    const master = program(dir, 'locust', 'echo "Gave up waiting for workers to connect" >&2; exit 1')
    const engines = enginesFrom(async name => ({
      name,
      plugin: locust,
      program: master,
      env: {},
      version: '2.0.0',
      start: async order => startGenerator({ plugin: locust, program: master, env: {} }, order)
    }))
    const engine = await enginesWithWorkers(engines, {
      hosts: [],
      byHand: 1,
      address: '127.0.0.1',
      print: () => {},
      waitSeconds: 5
    }).find('locust')
    await engine.start({
      name: 'it',
      load: { engine: 'locust', connections: 1, path: '/', headers: {} },
      target: { url: 'http://127.0.0.1:1', socketPath: null, expectBody: null },
      network: { enter: [] },
      cores: null,
      dir: join(dir, 'load'),
      maxSeconds: 1
    })
  },
  'host-unreachable': async t => {
    const [rig, loader] = channels(t)
    serveLoad(loader, localEngines, t.testdir({}))
    rig.listen()
    loader.listen()
    await rig.request('load/start', {
      engine: 'autocannon',
      order: {
        name: 'it',
        load: { engine: 'autocannon', connections: 1, path: '/', headers: {} },
        target: { url: 'http://127.0.0.1:1', socketPath: null },
        maxSeconds: 1
      }
    })
  },
  'host-answer': async t => {
    const [rig, loader] = channels(t)
    loader.serve('load/engine', () => ({ version: 9 }))
    rig.listen()
    loader.listen()
    await rig.request('load/engine', 'autocannon')
  },
  'host-lost': async t => {
    const child = converse({ name: 'hopbench on it', argv: ['sh', '-c', 'exit 0'], log: join(t.testdir({}), 'log') })
    const channel = new Channel('me@it', { input: child.stdout, output: child.stdin })
    channel.listen()
    throw await channel.lost
  }
}
