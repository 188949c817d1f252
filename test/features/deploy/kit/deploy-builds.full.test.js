/** Kits that keep files of earlier builds, run through a rollout. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { files as app, get, until } from '../../../support/kit-checks.js'
import { projectWithKit, readStartCommand, startKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces', 'nginx')
/** Programs of keep-builds.sh. */
const CALLED = ['cat', 'cksum', 'comm', 'cp', 'find', 'grep', 'ls', 'mktemp', 'sort', 'tail', 'tr', 'xargs']
/** An app that sends the files of its build, and JSON for each other path. */
const SITE_APP = `
import { existsSync, readFileSync } from 'node:fs'
export default (req, res) => {
  const file = new URL('public' + req.url, import.meta.url)
  if (req.url !== '/' && req.method === 'GET' && existsSync(file)) return res.end(readFileSync(file))
  res.setHeader('Content-Type', 'application/json')
  res.end('{}')
}
`

/**
 * Starts a kit with one build, and with the next one in its place.
 * @param {Test} t
 * @param {string} prefix
 * @param {[Record<string, string>, Record<string, string>]} builds files by name
 */
async function rollOut (t, prefix, [first, next]) {
  const spec = 'nginx:uds-keepalive+static/./app.mjs'
  const workspace = await projectWithKit(t, spec, 'docker', {
    args: ['--files', `${prefix}=./public`, '--keep-builds', '1'],
    files: {
      ...app,
      ...prefix === '/' && { 'app.mjs': SITE_APP },
      ...Object.fromEntries(Object.entries(first).map(([name, text]) => [`public/${name}`, text]))
    }
  })
  const { home, argv, env } = readStartCommand('docker', join(workspace.project, 'deploy'))
  const start = async () => {
    for (const name of ['127.0.0.1', '10.9.9.9']) rmSync(join(workspace.dir, `${name}.sock`), { force: true })
    const running = await startKit(t, workspace, { home, argv, env }, { called: CALLED })
    await until(async () => {
      if (running.kit.ended()) throw new Error(running.kit.tail())
      return (await get(running.client, '/headers').catch(() => null))?.status === 200
    })
    return running
  }
  const { kit } = await start()
  await kit.stop({ signal: 'SIGKILL' })
  rmSync(join(workspace.project, 'public'), { recursive: true })
  mkdirSync(join(workspace.project, 'public'))
  for (const [name, text] of Object.entries(next)) writeFileSync(join(workspace.project, 'public', name), text)
  return (await start()).client
}

/**
 * @param {string} socketPath
 * @param {string} path
 * @returns {Promise<number | undefined>} status
 */
const post = (socketPath, path) => new Promise((resolve, reject) => {
  http.request({ socketPath, path, method: 'POST', headers: { host: 'shop.example' }, agent: false },
    response => { response.resume().on('end', () => resolve(response.statusCode)) }).on('error', reject).end()
})

t.test('nginx of a kit sends the hashed files of the build before, and no others', { skip }, async t => {
  const client = await rollOut(t, '/assets', [
    { 'app.1f2a91bc.js': 'one', 'page.html': 'page', 'plain.js': 'plain' }, { 'app.2f2a91bc.js': 'two' }
  ])
  t.match(await get(client, '/assets/app.2f2a91bc.js'), { status: 200, body: 'two' })
  t.match(await get(client, '/assets/app.1f2a91bc.js'), {
    status: 200,
    body: 'one',
    headers: { 'cache-control': 'public, max-age=31536000, immutable', 'content-type': /javascript/ }
  })
  for (const path of ['app.9f2a91bc.js', 'page.html', 'plain.js', '', '.x/app.1f2a91bc.js', '..%2fapp.1f2a91bc.js']) {
    t.not((await get(client, `/assets/${path}`)).status, 200, path)
  }
  t.equal(await post(client, '/assets/app.1f2a91bc.js'), 405)
})

t.test('nginx of a kit for the whole site asks the app where no build has a file', { skip }, async t => {
  const client = await rollOut(t, '/',
    [{ 'app.1f2a91bc.js': 'one', 'plain.js': 'plain' }, { 'app.2f2a91bc.js': 'two' }])
  t.match(await get(client, '/app.2f2a91bc.js'), { status: 200, body: 'two' })
  t.match(await get(client, '/app.1f2a91bc.js'), { status: 200, body: 'one' })
  for (const path of ['/app.9f2a91bc.js', '/plain.js', '/']) {
    t.match((await get(client, path)).headers['content-type'], 'application/json', `${path} comes from the app`)
  }
  t.equal(await post(client, '/app.1f2a91bc.js'), 200, 'the app gets other methods')
})
