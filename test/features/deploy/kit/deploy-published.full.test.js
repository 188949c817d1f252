/** Tests that `hopbench config` starts the app, and publishes only files that the app sends to a stranger. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace } from '../../../support/cli.js'
import { skipWithout } from '../../../support/needs.js'

/** @import { Test } from 'tap' */

/** Sends the files of ./public below /assets, except those of PROTECTED, and a login in place of all pages. */
const APP = `
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
createServer(({ url, method }, response) => {
  const name = url.startsWith('/assets/') ? url.slice('/assets/'.length) : null
  if (name === null) return response.writeHead(302, { Location: '/login' }).end()
  if (name === process.env.PROTECTED) return response.writeHead(401).end()
  const { size } = statSync('public/' + name, { throwIfNoEntry: false }) ?? {}
  if (size === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'Content-Length': size })
  if (method === 'HEAD') response.end()
  else createReadStream('public/' + name).pipe(response)
}).listen(process.env.PORT)
`

const skip = skipWithout('nginx')
/** File of the project that the app protects. */
const SECRET = '0.txt'

/**
 * Makes a project with more files than a gate compares, and calls `hopbench config` in it.
 * @param {Test} t
 * @param {{ isProtected: boolean, words: string[] }} options
 */
async function callConfig (t, { isProtected, words }) {
  const workspace = makeWorkspace(t)
  const at = (/** @type {string} */ file) => join(workspace.dir, file)
  writeFileSync(at('app.mjs'), APP)
  writeFileSync(at('package.json'), '{"name":"shop"}')
  mkdirSync(at('public'))
  for (let i = 0; i < 1102; i++) writeFileSync(at(`public/${i}.txt`), String(i))
  const app = ['--app', 'node app.mjs', '--files', '/assets=./public']
  const result = await hopbench(['config', 'nginx:keepalive+static/app', ...app, ...words], {
    workspace, env: isProtected ? { PROTECTED: SECRET } : {}
  })
  return { workspace, at, result }
}

for (const [what, words] of Object.entries({ 'a kit': ['--target', 'docker'], 'a configuration': [] })) {
  t.test(`writes no ${what.slice(2)} that publishes a protected file`, { skip }, async t => {
    const { workspace, at, result } = await callConfig(t, { isProtected: true, words })
    const message = /would publish \/assets\/0\.txt: the app responds with status 401, .*\[file-published\]/s
    await failsWell(t, result, { workspace, exit: 1, message })
    t.equal(result.stdout, '')
    t.equal(existsSync(at('deploy')), false)
  })

  t.test(`writes ${what} of files that the app sends, also if its pages need a login`, { skip }, async t => {
    const { workspace, at, result } = await callConfig(t, { isProtected: false, words })
    t.equal(result.exit, 0, result.stderr)
    t.match(result.stdout, what === 'a kit' ? /publishes \/assets=public/ : /location .*\/assets/)
    t.equal(existsSync(at('deploy/nginx.conf')), what === 'a kit')
    await leavesNothing(t, workspace)
  })
}
