/** Two builds of a small site, and servers that send them. */
import { Buffer } from 'node:buffer'
import { sha256 } from '../../bench/shared/sha256.js'
import { listen } from './plays.js'

/** @import { IncomingMessage, RequestListener, ServerResponse } from 'node:http' */
/** @import { Test } from 'tap' */
/** @import { Build, Site } from '../../bench/features/rollout/types.js' */

/** @typedef {Record<string, [type: string, body: string]>} Files */

const HTML = 'text/html; charset=utf-8'
const JS = 'text/javascript'
const CSS = 'text/css'

/**
 * Returns the files of a build as Vite writes them, by path.
 * @param {Build['name']} build
 * @returns {Files}
 */
export function makeFiles (build) {
  const hash = build === 'old' ? 'Aa1bCdEf' : 'Zz9yXwVu'
  return {
    '/': [HTML, `<!doctype html><script type="module" src="/assets/main-${hash}.js"></script>` +
      `<link rel=stylesheet href=/assets/main-${hash}.css><link rel=icon href="/icon.svg">`],
    [`/assets/main-${hash}.js`]: [JS, 'import{a}from"./vendor-Cc3dEfGh.js";const m=["assets/About-' +
      `${hash}.js","assets/About-${hash}.css"];a(()=>import("./About-${hash}.js"),m)`],
    '/assets/vendor-Cc3dEfGh.js': [JS, 'export const a = () => {}'],
    [`/assets/main-${hash}.css`]: [CSS, `@font-face{src:url(/assets/font-${hash}.woff2)}`],
    [`/assets/font-${hash}.woff2`]: ['font/woff2', `font ${build}`],
    [`/assets/About-${hash}.js`]: [JS, `export const build = '${build}'`],
    [`/assets/About-${hash}.css`]: [CSS, `.${build} {}`],
    '/icon.svg': ['image/svg+xml', `<svg id="${build}"/>`],
    '/api/items': ['application/json', '[]']
  }
}

/**
 * Returns the site of a build as an inspection finds it.
 * @param {Build['name']} build
 * @returns {Site}
 */
export function makeSite (build) {
  const files = Object.entries(makeFiles(build)).map(([path, [, body]]) =>
    ({ path, digest: sha256(body), isHashed: path.startsWith('/assets/') }))
  const isLate = (/** @type {string} */ path) => path.includes('/About-')
  return {
    page: '/',
    pageDigest: files[0].digest,
    files: files.filter(({ path }) => path !== '/' && path !== '/api/items' && !isLate(path)),
    lateFiles: files.filter(({ path }) => isLate(path)),
    api: ['/api/items']
  }
}

/** @returns {Record<Build['name'], Site>} */
export const makeSites = () => ({ old: makeSite('old'), new: makeSite('new') })

/**
 * Sends the file that a path names, or else 404.
 * @param {Files} files
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 */
export function sendFile (files, { url = '' }, res) {
  const [type, body] = files[url] ?? [HTML, 'missing']
  const status = files[url] === undefined ? 404 : 200
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

/**
 * Serves a build, with planted faults.
 * @param {Test} t
 * @param {Files} files
 * @param {Record<string, RequestListener>} [faults] by path
 */
export const serveFiles = (t, files, faults = {}) => listen(t, (req, res) => {
  const fault = faults[String(req.url)]
  if (fault) fault(req, res)
  else sendFile(files, req, res)
})
