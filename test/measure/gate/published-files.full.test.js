/**
 * Property: no file that an app keeps from a stranger is published. The files, the way in which the app keeps some of
 * them, and its response to HEAD are generated. The app is a server on the loopback interface.
 */
import fc from 'fast-check'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { listPrefixFiles } from '../../../bench/measure/gate/file-list.js'
import { passFilesGate } from '../../../bench/measure/gate/files-gate.js'
import { findUnserved } from '../../../bench/measure/gate/served-files.js'
import { isHopbenchError } from '../../../bench/errors.js'
import { openFilesArm } from '../../support/files-arm.js'
import { tempFolder } from '../../support/temp.js'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** Beyond the bytes whose bodies the gate compares. The file is sparse. */
const LARGE_BYTES = 65 * 2 ** 20
/** Longer than each small file, so that lengths differ. */
const PAGE = '<p>Please log in to read this file.</p>'
/** Names of files: some have characters that URLs encode, some that look encoded. */
const NAMES = [
  'a.js', 'b c.css', 'ü.txt', '%41.js', '#.js', 'what?.js', "it's.js", 'index.html', 'x', 'd.tar', 'd.tar.gz'
]

/**
 * How an app keeps a file: a status, a page in place of the file, or 403 for clients behind a proxy; null: it sends the
 * file.
 */
const kept = fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.constantFrom(401, 403, 404, 302, 410),
  fc.constantFrom('page', 'local'))
const files = fc.uniqueArray(fc.record({
  folder: fc.constantFrom('', '', 'sub/', 'c d/', 'sub/é/'),
  name: fc.constantFrom(...NAMES),
  text: fc.string({ maxLength: 8 }),
  kept: fc.oneof({ weight: 9, arbitrary: kept }, fc.constant('route')),
  /** The compressed form beside the file; other: a file with such a name and another content. */
  twin: fc.record({ content: fc.constantFrom('none', 'none', 'copy', 'other'), kept }),
  isLarge: fc.integer({ max: 30, min: 0 }).map(number => number === 0)
}), { selector: ({ folder, name }) => folder + name, minLength: 1, maxLength: 12 })
const cases = fc.record({
  files,
  /** Prefix of the folder; empty: the whole site, where a file that a page hides from browsers is refused. */
  prefix: fc.constantFrom('', '/assets'),
  /** Response to HEAD: as to GET, refused, or without a length. */
  head: fc.constantFrom('sent', 'sent', 'refused', 'without length'),
  check: fc.constantFrom('compared', 'by HEAD', 'gate')
})

/** A file of a case. body: null: large; isSecret: a stranger gets its content nowhere
 * @typedef {{ path: string, body: Buffer | null, kept: number | string | null, isSecret: boolean }} Planted */
/** @typedef {(typeof files) extends fc.Arbitrary<infer T> ? T : never} Generated */

/**
 * Lists the files of a case.
 * @param {Generated} generated
 * @param {boolean} isWhole whether the files are those of the whole site
 * @returns {Planted[]}
 */
function listPlanted (generated, isWhole) {
  const names = new Set(generated.map(({ folder, name }) => folder + name))
  return generated.flatMap(({ folder, name, text, kept, twin, isLarge }) => {
    const path = folder + name
    const body = isLarge ? null : Buffer.from(text)
    const hasTwin = twin.content !== 'none' && body !== null && !names.has(`${path}.gz`)
    const packed = twin.content === 'copy' ? gzipSync(text) : Buffer.from(`other ${text}`)
    return [
      { path, body, kept, isSecret: kept !== null && (kept !== 'route' || (isWhole && body !== null)) },
      ...hasTwin
        ? [{
            path: `${path}.gz`,
            body: packed,
            kept: twin.kept,
            isSecret: twin.kept !== null && twin.content === 'other'
          }]
        : []
    ]
  })
}

/**
 * Sends a file of a case, or what the app sends in its place.
 * @param {Planted[]} planted
 * @param {{ head: string, prefix: string, isProxy: boolean }} app isProxy: sends all files
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
function send (planted, { head, prefix, isProxy }, { url = '', method, headers }, response) {
  if (method === 'HEAD' && head === 'refused') return response.writeHead(405).end()
  const path = decodeURIComponent(url.replace(`${prefix}/`, ''))
  const file = planted.find(file => file.path === path)
  const keeping = isProxy ? null : file?.kept ?? null
  const toLocal = headers['x-forwarded-for'] === undefined ? null : 403
  const toBrowser = headers.accept?.includes('text/html') ? 'page' : null
  const status = keeping === 'local' ? toLocal : keeping === 'route' ? toBrowser : keeping
  if (file === undefined) return response.writeHead(404).end()
  if (typeof status === 'number') return response.writeHead(status, status === 302 ? { Location: '/login' } : {}).end()
  const body = status === 'page' ? Buffer.from(PAGE) : file.body ?? Buffer.alloc(LARGE_BYTES)
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream', ...head !== 'without length' && { 'Content-Length': body.length }
  }).end(body)
}

t.test('no file that the app keeps from a stranger is published, and no other file is refused', async t => {
  const folder = join(tempFolder(t), 'files')
  let current = { planted: /** @type {Planted[]} */ ([]), head: 'sent', prefix: '' }
  const toHandler = (/** @type {boolean} */ isProxy) =>
    (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
      send(current.planted, { ...current, isProxy }, request, response)
    }
  const open = (/** @type {string} */ prefix) =>
    openFilesArm(t, { folder, prefix, app: toHandler(false), proxy: toHandler(true) })
  const [whole, below] = await Promise.all(['', '/assets'].map(open))

  /** Returns whether the files of a case may be published. @param {string} check */
  async function isAccepted (check) {
    const { prefix } = current
    const staged = prefix === '' ? whole : below
    const app = { target: staged.running.originTarget, network: staged.network }
    if (check === 'gate') {
      const passed = await passFilesGate(staged, '/').catch(error => {
        if (isHopbenchError(error, 'file-published')) return error.message
        throw error
      })
      return typeof passed !== 'string'
    }
    const { files, others, navigations } = listPrefixFiles([{ prefix, folder }], '/')
    const listed = check === 'compared' ? { files, others } : { others: [...files, ...others] }
    return await findUnserved(app, { ...listed, navigations }) === null
  }

  let secrets = 0
  await fc.assert(fc.asyncProperty(cases, async ({ files, prefix, head, check }) => {
    const planted = listPlanted(files, prefix === '')
    current = { planted, head, prefix }
    rmSync(folder, { recursive: true, force: true })
    for (const { path, body } of planted) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), body ?? '')
      if (body === null) truncateSync(join(folder, path), LARGE_BYTES)
    }
    const hasSecret = planted.some(({ isSecret }) => isSecret)
    if (hasSecret) secrets++
    return await isAccepted(check) === !hasSecret
  }), { numRuns: 24 })
  t.ok(secrets > 4, `${secrets} cases had a protected file`)
})
