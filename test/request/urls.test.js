/** Names of URLs that are loaded: each is resolved once, and the load on another machine has a limit. */
import { createServer } from 'node:http'
import t from '../support/tap.js'
import { pinUrls } from '../../bench/request/urls.js'
import { listening } from '../support/listening.js'

/** @import { Test } from 'tap' */

/**
 * Makes a plan whose arms load a server of the test by a name, and a resolver that counts.
 *
 * @param {Test} t
 * @param {string} address of the name
 */
async function makePlan (t, address) {
  /** @type {(string | undefined)[]} */
  const hosts = []
  const server = createServer(({ headers }, res) => {
    hosts.push(headers.host)
    res.end()
  })
  const port = await listening(t, server)
  /** @type {string[]} */
  const resolved = []
  /** @type {(name: string, ...rest: any[]) => Promise<any>} */
  const resolve = async name => {
    resolved.push(name)
    return [{ address, family: 4 }]
  }
  const toPlan = (/** @type {string} */ host, budgetSeconds = 290) => /** @type {any} */ ({
    arms: ['/a', '/b'].map(path => ({
      topology: { proxy: null, server: null, url: `http://${host}:${port}` },
      load: { engine: 'autocannon', connections: 1, path, headers: {} }
    })),
    targets: { budgetSeconds }
  })
  return { toPlan, resolve, resolved, hosts, port }
}

t.test('resolves each name once, and returns the address that has responded', async t => {
  const { toPlan, resolve, resolved, hosts, port } = await makePlan(t, '127.0.0.1')
  t.strictSame(await pinUrls(toPlan('shop.example', 3600), [], resolve), {
    [`http://shop.example:${port}`]: '127.0.0.1'
  })
  t.strictSame(resolved, ['shop.example'])
  t.strictSame(hosts, [`shop.example:${port}`, `shop.example:${port}`])
})

t.test('a URL with an address needs no other one, and a plan without URLs none', async t => {
  const { toPlan, resolve, resolved } = await makePlan(t, '127.0.0.1')
  t.strictSame(await pinUrls(toPlan('127.0.0.1'), [], resolve), {})
  t.strictSame(await pinUrls(/** @type {any} */ ({ arms: [{ topology: {} }], targets: { budgetSeconds: 3600 } })), {})
  t.strictSame(resolved, [])
})

t.test('the load on another machine lasts 10 minutes at most', async t => {
  // An address of this machine outside 127.0.0.0/8.
  const { toPlan, resolve, port } = await makePlan(t, '0.0.0.0')
  const allowed = ['shop.example']
  t.strictSame(await pinUrls(toPlan('shop.example', 600), allowed, resolve), {
    [`http://shop.example:${port}`]: '0.0.0.0'
  })
  await t.rejects(pinUrls(toPlan('shop.example', 601), allowed, resolve), {
    code: 'bad-option', message: /^--budget .* the load on another machine may last/
  })
  for (const seconds of [1, 60, 120, 299]) {
    const openLoop = { rate: 300, blocks: 3, windowSeconds: 6, seconds }
    const pin = (/** @type {number} */ budget) =>
      pinUrls({ ...toPlan('shop.example', budget - seconds), openLoop }, allowed, resolve)
    await t.resolves(pin(600 - seconds), `with --rate, which takes ${seconds} s and may repeat its windows`)
    await t.rejects(pin(601 - seconds), {
      code: 'bad-option', details: { remedy: `Add --budget ${600 - seconds}s, or name fewer URLs.` }
    })
  }
})
