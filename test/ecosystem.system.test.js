import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from './support/tap.js'
import { fetchResponses } from '../bench/measure/gate/gate.js'
import { labFacts, openNetwork } from '../bench/machine/network/lab.js'
import { pluginNames } from '../bench/plan/plugins.js'
import { run } from '../bench/machine/process.js'
import { tempFolder } from './support/temp.js'

const project = fileURLToPath(new URL('..', import.meta.url))
const pm2 = join(project, 'node_modules/pm2/bin/pm2')

t.test('ecosystem.config.js can be loaded by require(), as PM2 does, and gives each server a port', async t => {
  const { stdout, stderr } = await run([process.execPath, '-p',
    'JSON.stringify(require("./ecosystem.config.js").apps)'], { cwd: project, env: { HOPBENCH_LAUNCH: '' } })
  if (!stdout) t.comment(stderr)
  const apps = JSON.parse(stdout)
  t.strictSame(apps.map((/** @type {{ name: string }} */ { name }) => name),
    pluginNames('server').map((name, i) => `${name}-${3001 + i}`))
  for (const { exec_mode: mode, env } of apps) t.strictSame([mode, env.NODE_ENV], ['cluster', 'production'])
})

t.test('PM2\'s own command starts a server of ecosystem.config.js, and stops it', async t => {
  const home = tempFolder(t)
  const { network: kind } = await labFacts()
  const network = await openNetwork({ name: 'the test', dir: home, private: kind === 'namespaces' })
  t.teardown(() => network.close())
  const command = (/** @type {string[]} */ ...args) => run([...network.enter, process.execPath, pm2, ...args], {
    cwd: project, env: { PM2_HOME: home, HOPBENCH_LAUNCH: '' }, timeoutSeconds: 60
  })
  t.teardown(() => command('kill'))
  const index = pluginNames('server').indexOf('http-json')
  const started = await command('start', 'ecosystem.config.js', '--only', `http-json-${3001 + index}`)
  t.equal(started.exit, 0) || t.comment(started.stdout, started.stderr)
  const load = { engine: '', connections: 1, path: '/', headers: {} }
  const target = { url: `http://127.0.0.1:${3001 + index}`, socketPath: null }
  /** @type {Awaited<ReturnType<typeof fetchResponses>>} */
  let findings = { answers: [], failures: [], body: null }
  for (let tries = 0; tries < 40 && findings.answers.length === 0; tries++) {
    findings = await fetchResponses({ target, load, network, times: 1 })
  }
  t.match(findings.answers[0], { answer: { status: 200, bytes: 1024 } })
  const ended = await command('delete', 'ecosystem.config.js')
  t.equal(ended.exit, 0) || t.comment(ended.stdout, ended.stderr)
  t.match((await fetchResponses({ target, load, network, times: 1 })).failures[0], /ECONNREFUSED/)
})
