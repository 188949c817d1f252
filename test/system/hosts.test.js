import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { labFacts } from '../../bench/lab.js'
import { begin, hopbench, leavesNothing, placeFor, recordIn, samplesIn } from '../support/cli.js'
import { openSshHosts, otherPath } from '../support/ssh-hosts.js'

const { network, why } = await labFacts()
const skip = network === 'namespaces' ? false : why ?? 'no namespaces'

const QUICK = ['--quick', '--budget', '40s', '--json']
/** Folders that the project was put into. */
const put = () => readdirSync(tmpdir()).filter(name => name.startsWith('hopbench.host.'))

t.test('served on one machine, loaded from another, led from a third', { skip }, async t => {
  const hosts = await openSshHosts(t, { server: {}, load: {} })
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench([
    'run', 'nginx:tcp/express-json', 'nginx:uds/express-json', ...QUICK, '--results', place.results,
    '--server', hosts.destination('server'), '--load', hosts.destination('load'), '--ssh', hosts.ssh
  ], { place, via: hosts.via, timeoutSeconds: 240 })
  t.equal(exit, 0, stderr)
  const record = JSON.parse(stdout)
  t.match(record.environment.hosts, { server: hosts.destination('server'), load: [{ name: hosts.destination('load'), node: process.versions.node }] })
  t.match(record.contrasts, [{ arm: 'nginx:uds/express-json', blocks: 6 }])
  for (const { name, rps, errors, proof, cpuMicrosPerRequest: cpu } of record.arms) {
    t.ok(rps?.median > 0, name)
    t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, name)
    t.ok(proof.upstreamConnectionsPerRequest > 0.9, 'proofs come back over the same channel')
    t.ok(cpu.load > 0 && cpu.proxy > 0 && cpu.server > 0, 'and CPU time of all three')
  }
  const kept = readdirSync(join(place.results, record.run))
  t.ok(kept.some(name => existsSync(join(place.results, record.run, name, 'nginx.conf'))), 'configurations are brought back')
  t.same(put(), [], 'everything is removed from the machines')
  await leavesNothing(t, place)
})

t.test('two generators on machines of their own load what is served here', { skip }, async t => {
  const hosts = await openSshHosts(t, { one: {}, two: {} })
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench([
    'run', 'http-json', ...QUICK, '--results', place.results, '--load', `${hosts.destination('one')},${hosts.destination('two')}`, '--ssh', hosts.ssh
  ], { place, via: hosts.via, timeoutSeconds: 240 })
  t.equal(exit, 0, stderr)
  const { environment, arms: [arm] } = JSON.parse(stdout)
  t.equal(environment.cores.generators, 2)
  t.equal(environment.hosts.load.length, 2)
  t.ok(arm.rps?.median > 0)
  t.same(arm.errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  await leavesNothing(t, place)
})

t.test('what keeps a machine from taking part is told in a sentence, and nothing stays', { skip }, async t => {
  const place = placeFor(t)
  const paths = t.testdir({ none: {}, old: {} })
  const hosts = await openSshHosts(t, {
    good: {}, noNode: { path: await otherPath(join(paths, 'none'), { node: null }) }, old: { path: await otherPath(join(paths, 'old'), { node: '16.20.0' }) }
  })
  const refused = async (/** @type {string} */ destination, /** @type {string} */ ssh, /** @type {RegExp} */ says) => {
    const { exit, stdout, stderr } = await hopbench(['run', 'http-json', '--quick', '--results', place.results, '--server', destination, '--ssh', ssh], { place, via: hosts.via })
    t.equal(exit, 1, stderr)
    t.equal(stdout, '')
    t.match(stderr, says)
    t.notMatch(stderr, /\n\s+at /, 'no stack')
  }
  await refused(hosts.destination('noNode'), hosts.ssh, /cannot take part: there is no node on its PATH\.\nTry: Install Node there/)
  await refused(hosts.destination('old'), hosts.ssh, /cannot take part: it has Node 16\.20\.0, and hopbench needs/)
  const good = hosts.destination('good')
  await refused(good, `${hosts.ssh}-stranger`, /does not let this account in without a question\.[\s\S]*Try: Put a key there/)
  await refused(good, `${hosts.ssh} -p 2223`, /cannot be reached over ssh\.[\s\S]*refused[\s\S]*Try: Try it by hand/)
  writeFileSync(join(hosts.dir, 'known_hosts'), '')
  await refused(good, hosts.ssh, /The host key of bench@\S+ is not known here[\s\S]*Try: Connect once by hand/)
  t.equal(readFileSync(join(hosts.dir, 'known_hosts'), 'utf8'), '', 'it was not accepted silently')
  t.notOk(existsSync(place.results), 'nothing was begun')
  t.same(put(), [])
})

t.test('a link that dies during a run: what was measured is kept, and the other machine ends by itself', { skip }, async t => {
  const hosts = await openSshHosts(t, { server: {} })
  const place = placeFor(t)
  const run = begin(t, ['run', 'http-json', 'express-json', '--budget', '200s', '--results', place.results, '--server', hosts.destination('server'), '--ssh', hosts.ssh], { place, via: hosts.via })
  await run.until(() => samplesIn(place).length > 3)
  await hosts.cut('server')
  const { code } = await run.child.exited
  t.equal(code, 1)
  t.match(run.stderr(), /bench@\S+ was lost during the run: .*\.\nTry: What was measured by then is kept/)
  t.match(recordIn(place), { ended: 'failed', arms: [{ name: 'http-json' }, { name: 'express-json' }, {}] })
  t.ok(samplesIn(place).length > 3)
  const deadline = Date.now() + 60_000
  while (put().length > 0 && Date.now() < deadline) await new Promise(resolve => setTimeout(resolve, 500))
  t.same(put(), [], 'it removes what was put there, too')
  await leavesNothing(t, place)
})
