/** Each option of Envoy has an effect, and Envoy can be reached on the port for clients only. */
import { readFileSync, readdirSync } from 'node:fs'
import t from '../support/tap.js'
import { findListeners } from '../../bench/machine/kernel-counts.js'
import { run } from '../../bench/machine/process.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */

const skip = skipWithout('envoy')
/**
 * Sends each request when the one before it has its response, or after half a second without one. Prints the responses
 * that have come a second after the last request.
 */
const CLIENT = `
import http from 'node:http'
const [url, times] = process.argv.slice(1)
const responses = []
for (let i = 0; i < Number(times); i++) await Promise.race([new Promise(resolve => {
  http.get(url, { agent: false, headers: { 'Accept-Encoding': 'gzip' } }, response => {
    let bytes = 0
    response.on('data', data => { bytes += data.length })
    response.on('end', () => {
      responses.push({ encoding: response.headers['content-encoding'] ?? null, bytes })
      resolve()
    })
  }).on('error', () => {})
}), new Promise(resolve => setTimeout(resolve, 500))])
await new Promise(resolve => setTimeout(resolve, 1000))
console.log(JSON.stringify(responses))
process.exit()`

/**
 * @param {StagedArm} arm
 * @param {string} path
 * @param {number} [times]
 * @returns {Promise<{ encoding: string | null, bytes: number }[]>}
 */
async function request ({ running, network }, path, times = 1) {
  const node = [...network.enter, process.execPath, '--input-type=module', '-e', CLIENT]
  const { stdout, stderr } = await run([...node, `${running.target.url}${path}`, String(times)])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

t.test('gzip compresses by its level, from its least length on', { skip }, async t => {
  const toResponse = async (/** @type {string} */ options) => {
    const arm = await staged(t, `envoy:keepalive${options}/express-static`,
      { path: '/page.html', headers: { 'Accept-Encoding': 'gzip' } })
    return (await request(arm, '/page.html'))[0]
  }
  const [fast, small] = [await toResponse('+gzip+gzip_comp_level=1'), await toResponse('+gzip+gzip_comp_level=9')]
  t.strictSame([fast.encoding, small.encoding], ['gzip', 'gzip'])
  t.ok(small.bytes < fast.bytes, `${small.bytes} of ${fast.bytes} bytes`)
  await t.rejects(toResponse('+gzip+gzip_min_length=10000000'), /nothing was compressed/)
})

t.test('threads handle connections, on the port for clients only', { skip }, async t => {
  const { running } = await staged(t, 'envoy:keepalive+threads=2/http-json')
  const [pid] = running.pids().proxy
  const names = readdirSync(`/proc/${pid}/task`).map(task => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8'))
  t.equal(names.filter(name => name.startsWith('wrk:worker')).length, 2)
  const ports = new Set(findListeners([pid]).map(({ port }) => port))
  t.equal(ports.size, 1, 'the statistics cannot be reached over TCP')
})

t.test('least-conn avoids a process that does not respond, round-robin does not', { skip }, async t => {
  const TIMES = 12
  for (const [balance, expected] of /** @type {const} */ ([['least-conn', TIMES - 1], ['round-robin', TIMES / 2]])) {
    const arm = await staged(t, `envoy:keepalive+balance=${balance}/http-json@node:2`)
    const [stopped] = arm.running.pids().server
    process.kill(stopped, 'SIGSTOP')
    t.equal((await request(arm, '/', TIMES)).length, expected, balance)
    process.kill(stopped, 'SIGCONT')
  }
})
