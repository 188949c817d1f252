/** Tests `+runtime=` and the other options of a server. */
import t from '../support/tap.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { pastItsEnd, getServerRuntime, runtimes } from '../../bench/plan/runtimes.js'
import { serverSettings } from '../../bench/topology/server-options.js'
import { parse } from '../../bench/plan/spec.js'
import { describeSpec } from '../support/describe.js'
import { makeArm, makeEnvironment, makeRecord } from '../support/record.js'

/**
 * @param {string} spec
 * @param {string} [node] version of Node that runs the suite
 */
const settings = (spec, node = '20.20.2') => serverSettings(parse(spec), node)

/** @param {string} spec */
function described (spec) {
  const { server } = describeSpec(spec, { cores: 4, node: '/bin/runtime', nodeVersion: '20.20.2' })
  if (!server) throw new Error(`${spec} has no server`)
  return server.processes.map(({ argv, env: { HOPBENCH_LAUNCH, ...env }, listen }) =>
    ({ argv, env, listen, order: JSON.parse(HOPBENCH_LAUNCH) }))
}

/**
 * Asserts that a spec is rejected with this message.
 * @param {import('tap').Test} t
 * @param {string} spec
 * @param {RegExp} message
 * @param {string} [node] version of Node that runs the suite
 */
const refused = (t, spec, message, node) => t.throws(() => settings(spec, node), { code: 'bad-option', message }, spec)

t.test('pins every runtime by version and by SHA-512 for each platform', async t => {
  for (const [name, { version, builds, kind }] of Object.entries(runtimes)) {
    t.match(version, /^\d+\.\d+\.\d+$/, name)
    t.same(Object.keys(builds), ['linux-x64', 'linux-arm64'])
    for (const { integrity } of Object.values(builds)) {
      t.equal(Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').length, 64, `${name}: ${integrity}`)
    }
    if (kind === 'node') t.equal(`node-${version.split('.')[0]}`, name)
    t.equal(getServerRuntime({ options: { runtime: name } })?.version, version)
  }
  t.equal(getServerRuntime({ options: {} }), null)
  t.equal(getServerRuntime({ options: { runtime: 'own' } }), null)
})

t.test('starts each runtime with its arguments and variables', async t => {
  const launcher = '/app/bench/topology/launch.js'
  t.strictSame(described('st')[0].argv, ['/bin/runtime', launcher])
  t.strictSame(described('st+runtime=bun')[0].argv, ['/bin/runtime', ...runtimes.bun.args, launcher])
  const [deno] = described('st+runtime=deno')
  t.strictSame(deno.argv, ['/bin/runtime', ...runtimes.deno.args, launcher])
  t.equal(deno.env.DENO_DIR, '/tmp/t/deno', 'files of Deno are removed with the topology')
})

t.test('passes flags to the server processes under every manager', async t => {
  const flags = ['--max-semi-space-size=64', '--jitless']
  const spec = '+flags=max-semi-space-size:64,jitless'
  t.strictSame(described(`st${spec}`)[0].argv.slice(1, 3), flags)
  for (const manager of ['cluster', 'pm2']) {
    const [{ argv, order }] = described(`st@${manager}:2${spec}`)
    t.notOk(argv.some(arg => flags.includes(arg)), 'the manager itself does not serve')
    t.strictSame(order.nodeArgs, flags)
  }
  t.equal(described('st+io-uring=on')[0].env.UV_USE_IO_URING, '1')
  t.equal(described('st+io-uring=off')[0].env.UV_USE_IO_URING, '0')
  t.notOk('UV_USE_IO_URING' in described('st')[0].env)
})

t.test('sets the scheduling policy explicitly under a manager', async t => {
  t.equal(described('st@cluster:2')[0].env.NODE_CLUSTER_SCHED_POLICY, 'rr')
  t.equal(described('st@pm2:2+schedule=none')[0].env.NODE_CLUSTER_SCHED_POLICY, 'none')
  t.notOk('NODE_CLUSTER_SCHED_POLICY' in described('st')[0].env)
})

t.test('starts processes with reuseport separately on the same address', async t => {
  const processes = described('st@node:3+runtime=node-24+reuseport')
  t.equal(processes.length, 3)
  for (const { order, listen } of processes) {
    t.strictSame([listen, order.reusePort, order.instances], [processes[0].listen, true, 1])
  }
})

t.test('rejects unknown runtimes and options that a runtime does not support', async t => {
  refused(t, 'st+runtime=node-25', /it takes one of .*; did you mean node-2\d/)
  refused(t, 'st+runtime=dino', /did you mean deno/)
  refused(t, 'st@cluster:2+runtime=bun', /node:cluster requires Node, and Bun/)
  refused(t, 'st@pm2:2+runtime=deno', /PM2 requires Node, and Deno/)
  for (const option of ['flags=jitless', 'io-uring=on', 'reuseport']) {
    refused(t, `st+runtime=bun+${option}`, /only Node supports it, and the server runs under Bun/)
  }
})

t.test('rejects flags that execute or load other code', async t => {
  for (const flag of ['require:x', 'import:x', 'eval:1', 'e', 'p', 'r:x', 'experimental-loader:x', 'inspect', 'test',
    'env-file:x', 'allow-fs-read:x', 'experimental-permission', 'openssl-config:x', 'run', 'watch']) {
    refused(t, `st+flags=${flag}`, /The option flags of st/)
  }
  refused(t, 'st+flags', /it takes a word/)
  refused(t, 'st+flags=--jitless', /is not a flag/)
  t.strictSame(settings('st+flags=no-opt,stack-size:900').flags, ['--no-opt', '--stack-size=900'])
})

t.test('reuseport requires Node 22.12 or 23.1, TCP and no manager', async t => {
  refused(t, 'st@node:2+reuseport', /it requires Node 22\.12, or 23\.1, and this is 20\.20\.2/)
  refused(t, 'st@node:2+reuseport', /this is 23\.0\.0/, '23.0.0')
  refused(t, 'st@node:2+reuseport', /this is 22\.11\.0/, '22.11.0')
  for (const version of ['22.12.0', '22.23.2', '23.1.0', '26.10.0']) {
    t.equal(settings('st@node:2+reuseport', version).reusePort, true, version)
  }
  refused(t, 'st@cluster:2+reuseport+runtime=node-24', /the workers of cluster already share a socket/)
  refused(t, 'nginx:uds/st@node:2+reuseport+runtime=node-24', /a Unix socket cannot be shared that way/)
  refused(t, 'st+schedule=none', /several workers of one manager/)
})

t.test('returns the last day of a release line of Node, and null for unknown lines', async t => {
  t.equal(pastItsEnd('20.20.2', '2026-04-30T23:00:00Z'), null, 'the last day itself is supported')
  t.strictSame(pastItsEnd('20.20.2', '2026-05-01T00:00:00Z'), { line: '20', lastDay: '2026-04-30' })
  t.equal(pastItsEnd('24.21.0', '2026-11-22'), null)
  t.equal(pastItsEnd('99.0.0', '2099-01-01'), null)
})

/**
 * Returns the warnings of a run with this code.
 * @param {Record<string, string>} words by arm
 * @param {string} node
 * @param {string} code
 * @param {Record<string, string>} [tools]
 */
function warned (words, node, code, tools = { nginx: '1.22.1' }) {
  const arms = Object.entries(words).map(([name, spec]) => makeArm({ name, topology: parse(spec) }))
  const environment = makeEnvironment({ node })
  const record = makeRecord({ arms, tools, environment, startedAt: '2026-11-22T10:00:00.000Z' })
  return findWarnings(record).filter(warning => warning.code === code)
}

t.test('warns once of release lines past their end of life, with the arms', async t => {
  const code = 'runtime-past-its-end'
  const arms = {
    own: 'st',
    new: 'st+runtime=node-26',
    bun: 'st+runtime=bun',
    proxy: 'nginx:tcp/nginx',
    old: 'st+runtime=node-18'
  }
  const [{ params }, ...more] = /** @type {any[]} */ (warned(arms, '20.20.2', code))
  t.strictSame(more, [])
  t.match(params, {
    arms: ['own', 'old'], lines: [{ line: '20', lastDay: '2026-04-30' }, { line: '18', lastDay: /^2025-/ }]
  })
  t.strictSame(warned({ a: 'st', b: 'st+runtime=node-24' }, '22.12.0', code), [])
  t.strictSame(warned({ a: 'nginx/files' }, '20.20.2', code), [], 'an arm without a Node server')
  t.strictSame(warned({ a: 'st', b: 'st+runtime=node-24' }, '20.20.2', code, { node: '24.21.0' }), [],
    'served by a newer Node')
})

t.test('names an arm once that ran past its end at several shares of its capacity', t => {
  const of = 'st'
  const arms = ['st 50 %', 'st 90 %'].map((name, step) => makeArm({ name, topology: parse(of), ladder: { of, step } }))
  const environment = makeEnvironment({ node: '20.20.2' })
  const record = makeRecord({ arms, environment, startedAt: '2026-11-22T10:00:00.000Z' })
  t.match(findWarnings(record).filter(({ code }) => code === 'runtime-past-its-end'), [{ params: { arms: ['st'] } }])
  t.end()
})

t.test('warns of arms with more processes than cores', async t => {
  const code = 'fewer-cores-than-workers'
  t.match(warned({ four: 'st@cluster:4' }, '24.21.0', code), [{ params: { arms: ['four'], cores: 2 } }])
  t.strictSame(warned({ two: 'st@cluster:2' }, '24.21.0', code), [])
})
