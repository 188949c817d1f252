import t from '../support/tap.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'

/** @import { OptionSpec } from '../../bench/types.js' */

/** @type {Record<string, OptionSpec>} */
const specs = {
  workers: { type: 'number', default: 1, help: 'worker processes' },
  pool: { type: 'number', default: 'auto', help: 'idle connections' },
  cache: { type: 'duration', default: 'off', help: 'how long' },
  stale: { type: 'boolean', default: true, help: 'old answers' },
  delay: { type: 'duration', default: '500ms', help: 'how often', needs: 'mutex' },
  mutex: { type: 'boolean', default: false, help: 'in turn' },
  tls: { type: 'string', default: 'off', help: 'kind', choices: ['off', 'rsa2048'] },
  tls_version: { type: 'number', default: 1.3, help: 'version', choices: [1.2, 1.3], needs: 'tls' },
  mpm: { type: 'string', default: 'event', help: 'module', choices: ['event', 'prefork'] },
  level: { type: 'number', default: 1, help: 'quality', choices: [0, 1, 2] }
}

t.test('fills in the default of every option that is not given', async t => {
  t.strictSame(resolveOptions('nginx', specs, { workers: 4 }), {
    workers: 4,
    pool: 'auto',
    cache: 'off',
    stale: true,
    delay: '500ms',
    mutex: false,
    tls: 'off',
    tls_version: 1.3,
    mpm: 'event',
    level: 1
  })
})

t.test('rejects an unknown option and suggests the nearest name', async t => {
  t.throws(() => resolveOptions('nginx', specs, { worker: 4 }), {
    code: 'bad-option',
    exit: 2,
    message: /did you mean workers/
  })
})

/** @type {[object, RegExp][]} */
const WRONG = [
  [{ workers: 'four' }, /a whole number above zero/],
  [{ workers: 0 }, /a whole number above zero/],
  [{ workers: 2.5 }, /a whole number above zero/],
  [{ stale: 'yes' }, /on or off/],
  [{ cache: 'soon' }, /5s, or off/],
  [{ delay: false, mutex: true }, /a time such as 5s$|a time such as 5s\./], // A delay cannot be off.
  [{ tls: true }, /one of off, rsa2048/],
  [{ tls: 'rsa2048', tls_version: 1.1 }, /one of 1\.2, 1\.3/],
  [{ mpm: 'worker' }, /one of event, prefork/],
  [{ level: 3 }, /one of 0, 1, 2/]
]
t.test('rejects a value of the wrong type and names the accepted values', async t => {
  for (const [given, message] of WRONG) {
    const resolve = () => resolveOptions('nginx', specs, /** @type {any} */ (given))
    t.throws(resolve, { code: 'bad-option', message }, JSON.stringify(given))
  }
})

t.test('rejects a time of zero where the option can be off', async t => {
  for (const cache of [0, '0s', '00m']) {
    t.throws(() => resolveOptions('nginx', specs, { cache }), {
      code: 'bad-option', message: /a time above zero such as 5s, or off/
    })
  }
  t.equal(resolveOptions('nginx', specs, { cache: '10ms' }).cache, '10ms')
  t.equal(resolveOptions('nginx', specs, { delay: '0s', mutex: true }).delay, '0s', 'this option cannot be off')
})

t.test('accepts zero where it is a choice', async t => {
  t.equal(resolveOptions('nginx', specs, { level: 0 }).level, 0)
})

t.test('accepts off as the choice of that name', async t => {
  t.equal(resolveOptions('nginx', specs, { tls: false }).tls, 'off')
  t.equal(resolveOptions('nginx', specs, { stale: false }).stale, false)
})

t.test('rejects an option without the option that it requires', async t => {
  const rejection = { code: 'bad-option', exit: 2, message: /it requires mutex/ }
  t.throws(() => resolveOptions('nginx', specs, { delay: '5ms' }), rejection)
  t.throws(() => resolveOptions('nginx', specs, { delay: '5ms', mutex: false }), rejection)
  t.equal(resolveOptions('nginx', specs, { delay: '5ms', mutex: true }).delay, '5ms')
  t.throws(() => resolveOptions('nginx', specs, { tls: false, tls_version: 1.2 }),
    { code: 'bad-option', message: /requires tls/ })
  t.equal(resolveOptions('nginx', specs, { tls: 'rsa2048', tls_version: 1.2 }).tls_version, 1.2)
})

t.test('reports an owner that takes no options', async t => {
  t.throws(() => resolveOptions('express-json', {}, { gzip: true }),
    /** @type {any} */ ({ code: 'bad-option', remedy: /express-json has no options/ }))
})
