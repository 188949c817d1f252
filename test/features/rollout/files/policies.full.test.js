/** Policies for hashed files, carried out by nginx in front of an app. */
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { applyPolicy } from '../../../../bench/features/rollout/files/apply-policy.js'
import { start, waitUntil } from '../../../../bench/machine/process.js'
import { findTool } from '../../../../bench/machine/tools.js'
import { get } from '../../../support/kit-checks.js'
import { skipWithout } from '../../../support/needs.js'
import { tempFolder } from '../../../support/temp.js'

/** @import { Test } from 'tap' */
/** @import { FilePolicy } from '../../../../bench/features/rollout/types.js' */

const skip = skipWithout('nginx')
const [OLD, NEW] = ['/assets/app.1f2a91bc.js', '/assets/app.2f2a91bc.js']

/**
 * Starts nginx with a policy in front of an app, which sends the files of one build and a page in place of others.
 * @param {Test} t
 * @param {FilePolicy} policy
 */
async function startNginx (t, policy) {
  const dir = tempFolder(t)
  const [old, next] = [['old', OLD], ['new', NEW]].map(([name, path]) => {
    const folder = join(dir, name)
    mkdirSync(join(folder, 'assets'), { recursive: true })
    for (const file of [path, '/assets/plain.js']) writeFileSync(join(folder, file), name)
    return { name: /** @type {'old' | 'new'} */ (name), label: name, folder, start: '' }
  })
  const { nginx, http: httpBlock } = await applyPolicy({ policy, old, new: next, dir })
  /** Path of the file that the app sends, and requests that it got. @type {{ sends: string, requests: string[] }} */
  const app = { sends: OLD, requests: [] }
  const server = http.createServer(({ method, url, headers }, res) => {
    app.requests.push(`${method} ${url} ${headers.host}`)
    const isFile = url === app.sends
    res.setHeader('Cache-Control', isFile ? 'public, max-age=31536000, immutable' : 'public, max-age=0')
    res.end(isFile ? 'file' : 'page')
  }).listen(join(dir, 'app.sock'))
  t.teardown(() => server.close())
  writeFileSync(join(dir, 'nginx.conf'), `
    error_log stderr; pid ${dir}/nginx.pid; worker_processes 1; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {}
    http {
      access_log off; client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/f;
      uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
      ${httpBlock}
      upstream app { server unix:${dir}/app.sock; keepalive 4; }
      server { listen unix:${dir}/front.sock; location / { proxy_pass http://app; } ${nginx} }
    }`)
  const tool = await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })
  const argv = [tool.path, '-p', `${dir}/`, '-c', join(dir, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;']
  const child = start({ name: 'nginx', argv, env: tool.env, log: join(dir, 'nginx.log') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  const front = join(dir, 'front.sock')
  await waitUntil(child, () => get(front, '/').then(() => true, () => false))
  return { app, front, request: (/** @type {string} */ path) => get(front, path) }
}

t.test('attic: nginx sends the file of the old build, although the app has a page for each path', { skip }, async t => {
  const { app, front, request } = await startNginx(t, 'attic')
  app.sends = NEW
  t.match(await request(OLD), { status: 200, body: 'old', headers: { 'content-type': /javascript/ } })
  t.match(await request(NEW), { status: 200, body: 'file' })
  t.match(await request('/assets/plain.js'), { body: 'page' })
  t.match(await request('/assets/app.9f2a91bc.js'), { body: 'page' }, 'no build has it')
  t.equal(app.requests.at(-1), 'GET /assets/app.9f2a91bc.js shop.example')
  const status = await new Promise((resolve, reject) => {
    http.request({ socketPath: front, path: OLD, method: 'POST', agent: false }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).on('error', reject).end()
  })
  t.equal(status, 405)
})

t.test('cdn: nginx sends a file that was requested once, and keeps no page in place of a file', { skip }, async t => {
  const { app, request } = await startNginx(t, 'cdn')
  t.match(await request(OLD), { body: 'file' })
  t.match(await request(NEW), { body: 'page' })
  app.sends = NEW
  t.match(await request(OLD), { body: 'file' }, 'the app has it no more')
  t.match(await request(NEW), { body: 'file' }, 'the page was not kept')
  t.same(app.requests.filter(line => line.includes(OLD)).length, 1)
})
