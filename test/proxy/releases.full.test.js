/** Programs of other Debian releases: each is started by its own loader, counts its requests, and can reload. */
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { findListeningProcess, getExecutable } from '../../bench/machine/kernel-counts.js'
import { run } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { isOnPath } from '../support/needs.js'
import { countRequests, staged } from '../support/stage.js'

/** @import { ServerCounts } from '../../bench/types.js' */

const isDebian = /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
const skip = isDebian && isOnPath('apt-get') && isOnPath('dpkg-deb') ? false : 'this system is no Debian'
/**
 * Topologies with the least version that each release has.
 * @type {[spec: string, program: string, least: number[]][]}
 */
const WORDS = [
  ['nginx:keepalive+release=sid+tls=ecdsa-p256+http2/http-json', 'nginx', [1, 30]],
  ['nginx:uds-keepalive+release=trixie/nginx+release=sid', 'nginx', [1, 26]],
  ['haproxy:keepalive+release=sid+master/http-json', 'haproxy', [3, 2]],
  ['caddy:uds-keepalive+release=current+admin/http-json', 'caddy', [2, 11]],
  ['apache:keepalive+release=trixie/http-json', 'apache2', [2, 4]]
]

for (const [spec, program, least] of WORDS) {
  t.test(spec, { skip }, async t => {
    const path = spec.includes('/nginx') ? '/1kb.json' : '/'
    const arm = await staged(t, spec, { path })
    const { proxy } = arm.arm.topology
    const found = (await findProxies([arm.arm])).get(`${proxy?.name}+release=${proxy?.options.release}`)
    const [major, minor] = String(found?.version).split('.').map(Number)
    t.ok(major > least[0] || (major === least[0] && minor >= least[1]), `version ${found?.version}`)
    const { failures, front, requests } = await countRequests(arm, 50)
    t.strictSame({ failures, front, requests }, { failures: [], front: 50, requests: 50 })

    const { proxy: pids } = arm.running.pids()
    t.ok(pids.every(pid => basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('ld-linux')), 'started by a loader')
    const port = Number(new URL(arm.running.target.url).port)
    const holder = findListeningProcess(pids, { kind: 'tcp', host: '127.0.0.1', port })
    t.equal(basename(String(getExecutable(Number(holder)))), program, 'has its own name in messages')
    const libraries = pids.flatMap(pid => readFileSync(`/proc/${pid}/maps`, 'utf8').match(/\/\S+\.so\b\S*/g) ?? [])
    t.strictSame(libraries.filter(file => !file.includes('/packages-')), [], 'uses no library of this system')
    t.strictSame(arm.running.noted(), [])

    await arm.running.act?.('reload-proxy')
    // A worker that ends refuses new streams of HTTP/2, which clients send again (RFC 9113, 8.7).
    const countFailures = async () => (await countRequests(arm, 50)).failures
    let refused = await countFailures()
    for (let i = 0; i < 20 && refused.length > 0; i++) refused = await sleep(100).then(countFailures)
    t.strictSame(refused, [], 'serves after a reload')
    t.equal(arm.running.failure(), null)
  })
}

t.test('nginx of a release loads the modules of that release', { skip }, async t => {
  const arm = await staged(t, 'nginx+brotli+release=sid/files', {
    path: '/page.html', headers: { 'Accept-Encoding': 'br' }
  })
  t.ok(Number(arm.bytesPerResponse) > 0)
})

t.test('nginx of sid serves HTTP/3 to the curl of sid', { skip }, async t => {
  const curl = await findTool({ program: 'curl', packages: { debian: ['curl'] }, release: 'sid' })
  const { running, network } = await staged(t, 'nginx:keepalive+tls=ecdsa-p256+http3+release=sid/http-json')
  const { exit, stdout, stderr } = await run([...network.enter, curl.path, '--http3-only', '--silent', '--show-error',
    '--cacert', String(running.target.caFile), '--write-out', '\n%{http_version} %{response_code}',
    `${running.target.url}/`], { timeoutSeconds: 20 })
  t.equal(exit, 0, stderr)
  const [version, status] = stdout.split('\n').at(-1)?.split(' ') ?? []
  t.strictSame([version, status], ['3', '200'])
  t.ok(stdout.length > 1000, 'the whole body')
})

t.test('nginx of sid speaks HTTP/2 to the app', { skip }, async t => {
  const arm = await staged(t, 'nginx:keepalive+upstream_http2+release=sid/http-json')
  const over2 = await countRequests(arm, 50)
  t.strictSame([over2.failures, over2.front, over2.requests], [[], 50, 50])
  const { connections, requests } = /** @type {ServerCounts} */ (await arm.running.origin())
  t.ok(connections < requests / 2, `${connections} connections for ${requests} requests`)
  // The server speaks nothing else, so a request over HTTP/1.1 fails.
  const { failures } = await fetchResponses({
    target: arm.running.originTarget, load: arm.arm.load, network: arm.network, times: 1
  })
  t.equal(failures.length, 1)
})
