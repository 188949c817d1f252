/** Programs and networks that do not start, or end too early. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import apache from '../../proxy/apache.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { openNetwork } from '../../bench/machine/network/lab.js'
import { freePort, releasePort } from '../../bench/machine/network/ports.js'
import { openStage } from '../../bench/measure/stage.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { armFrom } from '../../bench/request/request.js'
import { findModules } from '../../bench/machine/setup/modules.js'
import { describe } from '../../bench/topology/describe/describe.js'
import { parse } from '../../bench/plan/spec.js'
import { makeWorkspace } from '../support/cli.js'
import { listening } from '../support/listening.js'
import { program } from '../support/provoke.js'
import { tempRoot } from '../support/temp.js'

/** @import { Provocations } from '../support/provoke.js' */
/** @import { Test } from 'tap' */

/** An address of the loopback that no other test uses. */
const OWN_ADDRESS = '127.45.67.89'

/**
 * @param {Test} t
 * @param {string} script of sh
 */
function child (t, script) {
  const child = start({ name: 'the server of it', argv: ['sh', '-c', script], log: join(t.testdir({}), 'log') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return child
}

/**
 * @param {Test} t
 * @param {string} spec
 * @param {{ frontPort?: number, root?: string }} [options]
 */
async function open (t, spec, options) {
  const temp = tempRoot(t)
  const stage = await openStage([await armFrom(spec, { connections: 10 })], {
    temp: temp.path,
    lab: false,
    cores: null,
    cwd: process.cwd(),
    ...options
  })
  await stage.close()
}

/** @type {Provocations} */
export default {
  'start-failed': t =>
    start({ name: 'nginx of it', argv: [join(t.testdir({}), 'nginx')], log: join(t.testdirName, 'log') }),
  'process-died': t => waitUntil(child(t, 'echo "no database here" >&2; exit 3'), () => false),
  'not-ready': t => waitUntil(child(t, 'exec sleep 60'), () => false, { timeoutSeconds: 0.1 }),
  'proxy-refused': t => open(t, 'nginx+backlog=9007199254740991/files'),
  'config-value': t => open(t, 'nginx/files', { root: t.testdir({ a$b: { 'index.html': '' } }) + '/a$b' }),
  'certificate-failed': t => {
    const file = join(t.testdir({ file: '' }), 'file')
    return findCertificate('ecdsa-p256', file)
  },
  'module-missing': async t => {
    // An Apache with one module, but not the required one.
    const { dir } = makeWorkspace(t)
    const [folder] = /** @type {NonNullable<typeof apache.modules>} */ (apache.modules).folders
    const root = t.testdir({})
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'mod_mime.so'), '')
    const path = program(dir, 'apache2', 'echo "Compiled in modules:"; echo "  core.c"')
    const modules = await findModules(apache, { program: 'apache2', path, env: {}, from: 'path', root })
    describe(parse('apache/files'), {
      dir,
      root: dir,
      ports: { front: 8080, origin: 3000 },
      clients: 10,
      proxy: { plugin: apache, program: path, version: '2.4.57', env: {}, modules }
    })
  },
  'no-port': async () => {
    /** @type {number[]} */
    const given = []
    try {
      // Reserve all ports, each for a program that does not listen yet.
      while (true) given.push(await freePort(20_000, OWN_ADDRESS))
    } finally {
      // Release the ports, because each reservation is an open socket, and other provocations need few.
      given.forEach(releasePort)
    }
  },
  'port-in-use': async t => open(t, 'http-json', { frontPort: await listening(t) }),
  'lab-failed': t =>
    openNetwork({ name: 'it', dir: makeWorkspace(t).dir, private: true, sysctl: { 'net.ipv4.no_such_setting': '1' } }),
  'bad-sysctl': t => {
    const sysctl = { 'net.core.somaxconn': "1'; id; '" }
    return openNetwork({ name: 'it', dir: makeWorkspace(t).dir, private: true, sysctl })
  },
  'lab-needed': t =>
    openNetwork({ name: 'it', dir: makeWorkspace(t).dir, private: false, sysctl: { 'net.ipv4.tcp_tw_reuse': '1' } })
}
