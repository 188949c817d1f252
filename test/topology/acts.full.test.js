/** Actions on real topologies: new processes serve after each, and the topology shows no failure. */
import t from '../support/tap.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { within } from '../support/kit-checks.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

const proxies = {
  nginx: 'nginx:keepalive/behaviour',
  apache: 'apache:keepalive/behaviour',
  haproxy: 'haproxy:keepalive+master/behaviour',
  caddy: 'caddy:keepalive+admin/behaviour'
}
const servers = ['behaviour+drain', 'behaviour@cluster:2+drain', 'behaviour@pm2:2',
  'behaviour@node:2+reuseport+runtime=node-24']

const LISTENING_APP = 'require("http").createServer((req, res) => res.end("page"))' +
  '.listen(process.env.PORT || process.env.SOCKET)'

/** @param {Awaited<ReturnType<typeof staged>>} arm */
const countFailures = async ({ running, arm, network }) =>
  (await fetchResponses({ target: running.target, load: arm.load, network, times: 10 })).failures.length

for (const [program, spec] of Object.entries(proxies)) {
  t.test(`${spec} serves after a reload`, { skip: skipWithout(program) }, async t => {
    const arm = await staged(t, spec)
    const before = arm.running.pids().proxy
    await arm.running.act?.('reload-proxy')
    // Caddy replaces its servers within the same process.
    if (program !== 'caddy') t.ok(arm.running.pids().proxy.some(pid => !before.includes(pid)), 'a new process runs')
    // Old processes of nginx are ended 100 ms after new ones run, and close the connections that they accepted.
    const areReplaced = () => arm.running.pids().proxy.filter(pid => before.includes(pid)).length <= 1
    await within(10, 'at most one process, the master, is from before the reload', areReplaced)
    t.equal(await countFailures(arm), 0)
    t.equal(arm.running.failure(), null)
    t.ok((await arm.running.front()).requests > 0)
  })
}

for (const spec of servers) {
  t.test(`${spec} serves after a restart, and after a kill`, async t => {
    const arm = await staged(t, spec)
    const first = await arm.running.origin()
    await arm.running.act?.('restart-app')
    const second = await arm.running.origin()
    t.equal(second?.pids.length, first?.pids.length)
    t.same(second?.pids.filter(pid => first?.pids.includes(pid)), [], 'all processes are new')
    t.equal(await countFailures(arm), 0)
    await arm.running.act?.('kill-app')
    const third = await arm.running.origin()
    t.equal(third?.pids.length, second?.pids.length)
    t.equal(third?.pids.filter(pid => !second?.pids.includes(pid)).length, 1, 'one process is new')
    t.equal(await countFailures(arm), 0)
    t.equal(arm.running.failure(), null)
  })
}

for (const [spec, listen] of [['app', '$PORT'], ['nginx:uds-keepalive/app', '$SOCKET'],
  ['nginx:keepalive+balance=round-robin/app@node:2', '$PORT']]) {
  t.test(`${spec}, a command on ${listen}, serves after a restart, and after a kill`, async t => {
    const arm = await staged(t, spec, { app: `${process.execPath} -e '${LISTENING_APP}'`, listen })
    const first = arm.running.pids().server
    await arm.running.act?.('restart-app')
    const second = arm.running.pids().server
    t.equal(second.length, first.length)
    t.notOk(second.some(pid => first.includes(pid)), 'all processes are new')
    t.equal(await countFailures(arm), 0)
    await arm.running.act?.('kill-app')
    const third = arm.running.pids().server
    t.equal(third.length, first.length)
    t.ok(third.some(pid => !second.includes(pid)), 'a process is new')
    t.equal(await countFailures(arm), 0)
    t.equal(arm.running.failure(), null)
  })
}

t.test('leaves a killed process to the manager within a command', async t => {
  const dir = t.testdir({
    'app.cjs': LISTENING_APP,
    'manager.cjs': 'const run = () => require("child_process").fork(__dirname + "/app.cjs").on("exit", run); run()'
  })
  const arm = await staged(t, 'app', { app: `${process.execPath} '${dir}/manager.cjs'` })
  const before = arm.running.pids().server
  await arm.running.act?.('kill-app')
  const after = arm.running.pids().server
  t.equal(after.filter(pid => before.includes(pid)).length, before.length - 1, 'the manager still runs')
  t.equal(after.length, before.length)
  t.equal(await countFailures(arm), 0)
  t.equal(arm.running.failure(), null)
})

t.test('rejects an action that the topology does not have', async t => {
  const arm = await staged(t, 'behaviour')
  await t.rejects(arm.running.act?.('reload-proxy') ?? Promise.resolve(), { message: /no action reload-proxy/ })
})
