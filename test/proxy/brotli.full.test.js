/** Brotli in nginx, with the modules of its packages, and in Node. The gate compares every byte. */
import t from '../support/tap.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

const load = (/** @type {string} */ encoding) => ({ path: '/page.html', headers: { 'Accept-Encoding': encoding } })

/** @import { Test } from 'tap' */

/**
 * Returns the bytes of the page with its headers, as transferred.
 * @param {Test} t
 * @param {string} spec
 * @param {string} encoding
 */
const sizeOf = async (t, spec, encoding) => Number((await staged(t, spec, load(encoding))).bytesPerResponse)

t.test('nginx compresses with Brotli, alone and in front of an app', { skip: skipWithout('nginx') }, async t => {
  const fast = await sizeOf(t, 'nginx+brotli+brotli_comp_level=1/files', 'br')
  const small = await sizeOf(t, 'nginx+brotli+brotli_comp_level=11/files', 'br')
  const before = await sizeOf(t, 'nginx+brotli_static/files', 'br')
  t.ok(small < fast && before < fast, `${small} and ${before} below ${fast} bytes`)
  const both = 'nginx:keepalive+gzip+brotli/http-fs'
  t.ok(await sizeOf(t, both, 'gzip, br') < await sizeOf(t, both, 'gzip'), 'prefers Brotli to gzip')
})

t.test('Node compresses with Brotli and gzip at each level', async t => {
  const fast = await sizeOf(t, 'connect-compression+brotli_comp_level=1', 'br')
  const small = await sizeOf(t, 'connect-compression+brotli_comp_level=11', 'br')
  t.ok(small < fast, `${small} below ${fast} bytes`)
  t.ok(await sizeOf(t, 'connect-compression+gzip_comp_level=9', 'gzip') <
    await sizeOf(t, 'connect-compression+gzip_comp_level=1', 'gzip'))
})
