import t from 'tap'
import { resolveOptions } from '../../bench/topology/options.js'

/** @type {Record<string, import('../../bench/types.d.ts').OptionSpec>} */
const specs = {
  workers: { type: 'number', default: 1, help: 'worker processes' },
  pool: { type: 'number', default: 'auto', help: 'idle connections' },
  cache: { type: 'duration', default: 'off', help: 'how long' },
  stale: { type: 'boolean', default: true, help: 'old answers' },
  mpm: { type: 'string', default: 'event', help: 'module', choices: ['event', 'prefork'] }
}

t.test('what is not given has its default', async t => {
  t.strictSame(resolveOptions('nginx', specs, { workers: 4 }), { workers: 4, pool: 'auto', cache: 'off', stale: true, mpm: 'event' })
})

t.test('an unknown option is refused with the nearest name', async t => {
  t.throws(() => resolveOptions('nginx', specs, { worker: 4 }), { code: 'bad-option', exit: 2, message: /did you mean workers/ })
})

t.test('a value of the wrong type is refused with what it takes', async t => {
  t.throws(() => resolveOptions('nginx', specs, { workers: 'four' }), { message: /a number above zero/ })
  t.throws(() => resolveOptions('nginx', specs, { workers: 0 }), { message: /a number above zero/ })
  t.throws(() => resolveOptions('nginx', specs, { stale: 'yes' }), { message: /on or off/ })
  t.throws(() => resolveOptions('nginx', specs, { cache: 'soon' }), { message: /5s, or off/ })
  t.throws(() => resolveOptions('nginx', specs, { mpm: 'worker' }), { message: /one of event, prefork/ })
})

t.test('an owner without options says so', async t => {
  t.throws(() => resolveOptions('express-json', {}, { gzip: true }), /** @type {any} */ ({ remedy: 'express-json takes no options.' }))
})
