// Files that are empty, large, replaced or deleted, and many requests on one connection.
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { download, downloadChanging, onNoResponse, send } from '../client.js'
import { differs, fail, nodeCommand, pass, probe, untested } from '../outcome.js'
import { BIG_BYTES, LARGE_BYTES, DATA } from '../site.js'

/** @import { Context, Probe, Topic } from '../types.js' */

const STALE_MS = 3000 // Limit and interval of the requests for a replaced file.
const EVERY_MS = 25
/** Smaller behind a proxy, because the file is copied once more. @type {Record<string, [string, number]>} */
const BIG_FILES = { bare: ['/big.bin', BIG_BYTES], proxied: ['/large.bin', LARGE_BYTES] }
const OLD = 'o'.repeat(2000)
const NEW = 'n'.repeat(3000) // Longer than the old file, so that cached headers are wrong.

/** @type {Topic} */
export default {
  topic: 'Files',
  probes: [
    probe('empty', 'an empty file is 200 with an empty body', 'RFC 9110, 8.6', async ({ request }) => {
      const { status, body } = await request('/empty.txt')
      return status === 200 && body.length === 0 ? pass('200') : fail(`status ${status} with ${body.length} bytes`)
    }),
    probe('big', 'a file of 100 MB, and behind a proxy of 16 MB, is sent completely', 'RFC 9110, 8.6',
      async ({ address, proxied }) => {
        const [path, size] = BIG_FILES[proxied ? 'proxied' : 'bare']
        const { status, bytes, ms } = await download(address, path)
        if (status !== 200) return fail(`status ${status}`)
        if (bytes !== size) return fail(`${bytes} of ${size} bytes came`, bigCommand(path))
        return pass(`${Math.round(size / 2 ** 20)} MiB in ${Math.round(ms)} ms`, ms)
      }),
    probe('pipelined', 'requests sent at once on one connection get their responses in order', 'RFC 9112, 9.3.2',
      async ({ address }) => {
        const paths = ['/alive.txt', '/data.txt', '/alive.txt']
        const responses = await send(address, paths.map(path => ({ path })))
        const bodies = responses.map(({ body }) => String(body))
        if (bodies.join() === `alive,${DATA},alive`) return pass('three of three')
        return fail(`got ${responses.map(({ status, body }) => `${status} with ${body.length} bytes`).join(', ')}`)
      }),
    probe('replaced', 'a replaced file is sent completely: the old one or the new one', 'RFC 9110, 8.6', replaced),
    probe('replaced-validator', 'a replaced file of the same size gets other validators', 'RFC 9110, 8.8.1',
      replacedValidator),
    probe('truncated', 'a file that shrinks during its download ends the connection', 'RFC 9110, 8.6',
      changing('shrinks.bin', file => truncateSync(file, 1000), 'truncate -s 1000')),
    probe('grown', 'a file that grows during its download is sent with the announced length', 'RFC 9110, 8.6',
      changing('grows.bin', file => appendFileSync(file, 'x'.repeat(10_000)), 'printf %010000d 1 >>')),
    probe('deleted', 'a file that was deleted is 404, or still sent', 'RFC 9110, 15.5.5',
      async ({ request, site: { root } }) => {
        await request('/deleted.txt')
        rmSync(join(root, 'deleted.txt'))
        const { status, body } = await request('/deleted.txt')
        if ([404, 410].includes(status)) return pass(`${status}`)
        return String(body) === 'to be deleted' ? differs('200 with the old bytes') : fail(`status ${status}`)
      })
  ]
}

/** @param {string} path */
const bigCommand = path => `curl -sS -o /dev/null -w '%{http_code}, %{size_download} bytes\\n' "$URL${path}"`

/**
 * Replaces a file by renaming another one, as a deployment does.
 *
 * @param {Context} context
 */
async function replaced ({ request, site: { root } }) {
  for (let i = 0; i < 2; i++) await request('/replaced.txt') // fills a cache
  replaceFile(root, 'replaced.txt', NEW)
  const started = performance.now()
  for (let ms = 0; ms < STALE_MS; ms = performance.now() - started) {
    const asked = performance.now() - started
    const response = await request('/replaced.txt').catch(onNoResponse(({ message }) => message))
    if (typeof response === 'string') {
      return fail(`after ${Math.round(asked)} ms: ${response}`, replaceCommand('replaced.txt', NEW))
    }
    const body = String(response.body)
    if (body === NEW) return pass(`the new bytes after ${Math.round(asked)} ms`, asked)
    if (body !== OLD) {
      return fail(`neither the old nor the new bytes: ${body.length} bytes, new ones under the old Content-Length`,
        replaceCommand('replaced.txt', NEW))
    }
    await sleep(EVERY_MS)
  }
  return differs(`the old bytes for more than ${STALE_MS} ms`, STALE_MS)
}

/**
 * Replaces a file by renaming a new one. Creates it exclusively, because the checked server can write to the folder and
 * create a link of this name.
 *
 * @param {string} root
 * @param {string} name
 * @param {string} text
 */
function replaceFile (root, name, text) {
  writeFileSync(join(root, `${name}.new`), text, { flag: 'wx' })
  renameSync(join(root, `${name}.new`), join(root, name))
}

/**
 * Returns a command that requests a file before and after its replacement.
 *
 * @param {string} name
 * @param {string} text one character, repeated
 */
const replaceCommand = (name, text) => [`curl -s -i "$URL/${name}"`,
  `head -c ${text.length} /dev/zero | tr '\\0' ${text[0]} > "$ROOT/${name}.new"`,
  `mv "$ROOT/${name}.new" "$ROOT/${name}"`, `curl -s -i --max-time 5 "$URL/${name}"`].join('; ')

/**
 * Replaces a file by one of the same size, so that a cache of sizes does not show in the length.
 *
 * @param {Context} context
 */
async function replacedValidator ({ request, site: { root } }) {
  const path = '/same-size.txt'
  await request(path) // fills a cache
  const { headers: { etag, 'last-modified': modified } } = await request(path)
  if (!etag && !modified) return differs('it sends no validators')
  const text = NEW.slice(0, OLD.length)
  replaceFile(root, 'same-size.txt', text)
  const { headers, body } = await request(path)
  if (String(body) !== text) return differs('the old bytes with their validators')
  const same = [headers.etag && headers.etag === etag && 'ETag',
    headers['last-modified'] && headers['last-modified'] === modified && 'Last-Modified'].filter(Boolean)
  if (same.length === 0) return pass('other validators')
  return fail(`the new bytes with the old ${same.join(' and ')}: clients keep the old file`,
    replaceCommand('same-size.txt', text))
}

/**
 * Returns the run of a probe that changes a file of zeros during its download.
 *
 * @param {string} name
 * @param {(file: string) => void} change
 * @param {string} command that changes a file
 * @returns {Probe['run']}
 */
function changing (name, change, command) {
  return async ({ address, proxied, site: { root } }) => {
    if (proxied) return untested('a proxy reads ahead: tested without one')
    const response = await downloadChanging(address, `/${name}`, () => change(join(root, name)))
    const { status, body, complete, surplus, isClosed } = response
    if (status !== 200) return fail(`status ${status}`)
    const [label, reproduce] = [`${body.length} of ${LARGE_BYTES} bytes`, changeCommand(name, command)]
    if (surplus.length > 0) return fail(`${surplus.length} bytes beyond the Content-Length`, reproduce)
    if (body.some(byte => byte !== 0)) return fail('bytes that the file did not have before', reproduce)
    if (complete) return pass(`${label}, and no others`)
    if (isClosed) return pass(`closed after ${label}`)
    return differs(`the connection stays open after ${label}: a client waits for the rest until it ends`)
  }
}

/**
 * Returns a command that changes a file after the first bytes of its download, and counts the bytes that arrive.
 *
 * @param {string} name
 * @param {string} command that changes a file
 */
const changeCommand = (name, command) => nodeCommand('const u=new URL(process.env.URL),' +
  's=net.connect(u.port||80,u.hostname);let n=0,o=0,h="";' +
  `s.write("GET /${name} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n");s.once("data",d=>{` +
  'h=d.toString("latin1").split("\\r\\n\\r\\n")[0];n=-h.length-4;s.pause();setTimeout(()=>{' +
  `child_process.execSync(${JSON.stringify(`${command} "$ROOT/${name}"`)});s.resume()},50)});` +
  's.on("data",d=>{n+=d.length;for(const b of d)o+=b!==0}).setTimeout(1000,()=>s.destroy());' +
  's.on("close",()=>console.log(h+"\\n\\n"+n+" bytes of body, "+(o-h.length-4)+" of them not 0"))')
