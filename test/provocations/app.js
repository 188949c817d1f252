/** Apps of your own that cannot be measured, or are requested in a wrong way. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import { join } from 'node:path'
import { findCertificate } from '../../bench/topology/certificates.js'
import { passFilesGate } from '../../bench/measure/gate/files-gate.js'
import { openStage } from '../../bench/measure/stage.js'
import { restoreSecrets, withoutSecrets } from '../../bench/plan/stored-plan.js'
import { planFrom } from '../../bench/request/request.js'
import { openFilesArm, toHandler } from '../support/files-arm.js'
import { listening } from '../support/listening.js'
import { inEnvironment } from '../support/provoke.js'
import { tempRoot } from '../support/temp.js'

/**
 * @import { Test } from 'tap'
 */
/**
 * @import { RunFlags } from '../../bench/request/types.js'
 * @import { Provocations } from '../support/provoke.js'
 */

const plain = { lab: true }
const SERVE = "require('http').createServer((q, r) => r.end(process.argv[1]))"

/**
 * @param {Test} t
 * @param {string[]} words
 * @param {Partial<RunFlags>} options
 * @param {string} [keepIn]
 */
async function open (t, words, options, keepIn) {
  const { plan } = await planFrom(words, { ...plain, ...options })
  const temp = tempRoot(t)
  const stage = await openStage(plan.arms, { temp: temp.path, lab: false, cores: null, cwd: process.cwd(), keepIn })
  await stage.close()
}

/** @type {Provocations} */
export default {
  'app-watched': async t => {
    const dir = t.testdir({ 'app.cjs': `${SERVE}.listen(process.env.PORT)` })
    inEnvironment(t, { INIT_CWD: dir })
    await open(t, ['app'], { app: 'node --watch app.cjs' }, dir)
  },
  'app-ended': t => open(t, ['app'], { app: 'echo nothing to do' }),
  'app-elsewhere': t => open(t, ['app'], { app: `node -e "${SERVE}.listen(0)"` }),
  'file-published': async t => {
    const [app, proxy] = [toHandler({}), toHandler({ '/assets/a.js': 'a' })]
    await passFilesGate(await openFilesArm(t, { folder: t.testdir({ 'a.js': 'a' }), app, proxy }), '/')
  },
  'answers-differ': t => {
    const file = join(t.testdir({}), 'compare.json')
    const command = (/** @type {string} */ spec) => ({ command: `node -e "${SERVE}.listen(process.env.PORT)" ${spec}` })
    writeFileSync(file, JSON.stringify({ servers: { a: command('one'), b: command('two') }, arms: { a: 'a', b: 'b' } }))
    return open(t, [file], {})
  },
  'bad-header': () => planFrom(['http-json'], { ...plain, header: ['Accept text/html'] }),
  'secret-missing': async () => {
    const { plan } = await planFrom(['http-json'], { ...plain, header: ['Authorization: Bearer sesame'] })
    restoreSecrets(withoutSecrets(plan), '2026-typed', { request: {}, apps: {} })
  },
  'url-host': () => planFrom(['http://192.0.2.1/'], plain),
  'url-unreachable': async t => {
    const server = createServer()
    const port = await listening(t, server)
    server.close()
    await once(server, 'close')
    return planFrom([`http://127.0.0.1:${port}/`], plain)
  },
  'url-certificate': async t => {
    const { certFile, keyFile } = await findCertificate('ecdsa-p256', join(t.testdir({}), 'tls'), '127.0.0.1')
    const server = createSecureServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
    return planFrom([`https://127.0.0.1:${await listening(t, server)}/`], plain)
  },
  'url-redirects': async t => {
    const server = createServer((_, response) => response.writeHead(302, { Location: '/login' }).end())
    return planFrom([`http://127.0.0.1:${await listening(t, server)}/`], plain)
  },
  'bad-experiment': t => {
    const file = join(t.testdir({}), 'compare.json')
    writeFileSync(file, '{\n  "arms": { "a": "http-json", "b": "express-json" },\n  "loads": {}\n}\n')
    return planFrom([file], plain)
  }
}
