/** Brotli at nginx, with the modules of its packages, and at Node: compressed as the arm says, byte for byte. */
import t from 'tap'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

const load = (/** @type {string} */ encoding) => ({ path: '/page.html', headers: { 'Accept-Encoding': encoding } })

/** @import { Test } from 'tap' */

/**
 * Of the page with its headers, as they come.
 * @param {Test} t
 * @param {string} word
 * @param {string} as
 */
const sizeOf = async (t, word, as) => Number((await staged(t, word, load(as))).bytesPerResponse)

t.test('nginx', { skip: skipWithout('nginx') }, async t => {
  const fast = await sizeOf(t, 'nginx+brotli+brotli_comp_level=1/files', 'br')
  const small = await sizeOf(t, 'nginx+brotli+brotli_comp_level=11/files', 'br')
  const before = await sizeOf(t, 'nginx+brotli_static/files', 'br')
  t.ok(small < fast && before < fast, `${small} and ${before} below ${fast} bytes`)
  const both = 'nginx:keepalive+gzip+brotli/http-fs'
  t.ok(await sizeOf(t, both, 'gzip, br') < await sizeOf(t, both, 'gzip'), 'Brotli goes first, in front of an app too')
})

t.test('Node', async t => {
  const fast = await sizeOf(t, 'connect-compression+brotli_comp_level=1', 'br')
  const small = await sizeOf(t, 'connect-compression+brotli_comp_level=11', 'br')
  t.ok(small < fast, `${small} below ${fast} bytes`)
  t.ok(await sizeOf(t, 'connect-compression+gzip_comp_level=9', 'gzip') <
    await sizeOf(t, 'connect-compression+gzip_comp_level=1', 'gzip'))
})
