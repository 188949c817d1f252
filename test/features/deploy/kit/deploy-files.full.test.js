/** Recommended configurations, checked by gixy, nginx and systemd. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../../../support/tap.js'
import { pythonEnvironment } from '../../../../bench/machine/setup/python.js'
import { findTool } from '../../../../bench/machine/tools.js'
import { run } from '../../../../bench/machine/process.js'
import { hopbench, makeWorkspace } from '../../../support/cli.js'
import { CLIENT_HEADERS } from '../../../support/kit-checks.js'
import { projectWithKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'
import { tempFolder } from '../../../support/temp.js'

/** @import { Test } from 'tap' */

const requirements = fileURLToPath(new URL('../../../support/gixy/requirements.txt', import.meta.url))
const app = { 'app.mjs': 'export default (req, res) => res.end()' }

/**
 * Returns the findings of gixy with a severity above low.
 * @param {string} file
 */
async function weaknesses (file) {
  const { python } = await pythonEnvironment({ program: 'gixy-ng', requirements, least: '3.11' },
    { printProgress: () => {} })
  const { stdout, stderr } = await run([python, '-I', '-B', '-m', 'gixy', '-f', 'json', file])
  if (!stdout.startsWith('[')) throw new Error(`no output of gixy: ${stderr}`)
  return JSON.parse(stdout).filter((/** @type {any} */ { severity }) => ['MEDIUM', 'HIGH'].includes(severity))
    .map((/** @type {any} */ { plugin, reason, summary }) => `${plugin}: ${reason ?? summary}`)
}

/**
 * Replaces the placeholders of a configuration as start.sh does.
 * @param {string} text
 */
const filled = text => text.replaceAll('@PORT@', '8080').replaceAll('@HTTP_PORT@', '8081')
  .replaceAll(/@(RUN|CACHE|HERE|TEMP)@/g, '/run/app')

const skip = skipWithout('locust', 'nginx')

t.test('gixy finds a planted weakness', { skip }, async t => {
  const { dir } = makeWorkspace(t)
  const file = join(dir, 'nginx.conf')
  writeFileSync(file, 'events {} http { server { listen 80; location / { return 301 https://$host$uri; } } }')
  t.match((await weaknesses(file)).join('\n'), /http_splitting/)
})

for (const spec of ['nginx:uds/express-json', 'nginx:uds-keepalive+cache=5s/express-json', 'nginx+gzip/files',
  'nginx:uds-keepalive+tls=ecdsa-p256+cache=5s/express-json', 'nginx+tls=rsa2048+tls_version=1.2/files']) {
  t.test(`gixy finds no weakness in the recommended configuration of ${spec}`, { skip }, async t => {
    const workspace = makeWorkspace(t)
    const { stdout } = await hopbench(['config', spec], { workspace })
    const file = join(workspace.dir, 'nginx.conf')
    writeFileSync(file, stdout)
    t.strictSame(await weaknesses(file), [])
  })
}

for (const target of Object.keys(CLIENT_HEADERS)) {
  t.test(`gixy and nginx find no fault in the kit for ${target}`, { skip }, async t => {
    const tls = ['docker', 'systemd'].includes(target) ? '+tls=ecdsa-p256' : ''
    const spec = `nginx:uds-keepalive+cache=5s${tls}/./app.mjs`
    const { project, dir } = await projectWithKit(t, spec, target, { files: app })
    const file = join(dir, 'nginx.conf')
    writeFileSync(file, filled(readFileSync(join(project, 'deploy/nginx.conf'), 'utf8')))
    t.strictSame(await weaknesses(file), [])
    if (!tls) t.match(await checkedByNginx(t, file), { exit: 0 })
  })
}

/**
 * @param {Test} t
 * @param {string} file
 */
async function checkedByNginx (t, file) {
  const nginx = await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })
  const prefix = tempFolder(t)
  mkdirSync(join(prefix, 'cache'))
  const text = readFileSync(file, 'utf8').replaceAll('/run/app', prefix)
  writeFileSync(file, text.replace('/dev/stdout', `${prefix}/access.log`).replace(/^.*listen \[::\].*\n/m, ''))
  return run([nginx.path, '-p', `${prefix}/`, '-c', file, '-e', 'stderr', '-t', '-q'], { env: nginx.env })
}

t.test('systemd-analyze accepts the unit, and rejects one with a fault',
  { skip: spawnSync('systemd-analyze', ['--version']).status !== 0 && 'there is no systemd-analyze here' }, async t => {
    const { project } = await projectWithKit(t, 'nginx:uds-keepalive+tls=rsa2048/./app.mjs@cluster:2', 'systemd',
      { files: app, args: ['--memory', '512'] })
    const unit = join(project, 'deploy/shop.service')
    const nginxUnit = join(project, 'deploy/shop-nginx.service')
    const verify = () => run(['systemd-analyze', 'verify', '--man=no', unit, nginxUnit])
    t.match(await verify(), { exit: 0, stderr: '' })
    writeFileSync(unit, readFileSync(unit, 'utf8').replace('KillMode=mixed', 'KillMode=mixt'))
    t.match(await verify(), { stderr: /KillMode|mixt/ })
  })

const canScore = spawnSync('systemd-analyze', ['security', '--offline=true', '--help']).status === 0
for (const spec of ['nginx:uds-keepalive+tls=rsa2048/./app.mjs', 'nginx:keepalive/./app.mjs', './app.mjs']) {
  t.test(`the units of ${spec} have an exposure of 3 or less`,
    { skip: !canScore && 'there is no systemd-analyze here that reads a unit offline' }, async t => {
      const { project } = await projectWithKit(t, spec, 'systemd', { files: app })
      const folder = join(project, 'deploy')
      const units = readdirSync(folder).filter(name => name.endsWith('.service'))
      t.equal(units.length, spec.startsWith('nginx') ? 2 : 1)
      const score = (/** @type {string} */ unit, threshold = 30) =>
        run(['systemd-analyze', 'security', '--offline=true', `--threshold=${threshold}`, join(folder, unit)])
      for (const unit of units) {
        const { exit, stdout } = await score(unit)
        t.equal(exit, 0) || t.comment(stdout)
        t.not((await score(unit, 1)).exit, 0, 'a lower threshold is exceeded')
      }
    })
}
