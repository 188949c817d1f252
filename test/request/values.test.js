import t from '../support/tap.js'
import { onlyPath } from '../../bench/request/common-options.js'
import { anyShare, count, seconds, seed, share, shareFromZero } from '../../bench/request/option-values.js'

t.test('reads a duration with a unit, or in seconds without one', async t => {
  const read = seconds('--budget')
  t.equal(read('90s'), 90)
  t.equal(read('3m'), 180)
  t.equal(read('1.5h'), 5400)
  t.equal(read('250ms'), 0.25)
  t.equal(read('45'), 45)
})

t.test('rejects negative, zero and invalid durations with the typed text', async t => {
  for (const text of ['-5s', '0', '0s', 'soon', '', '5d', '1e3']) {
    t.throws(() => seconds('--budget')(text), {
      code: 'bad-option',
      exit: 2,
      message: new RegExp(`--budget cannot be "${text}"`)
    })
  }
})

t.test('reads a share as percent or fraction between 0 and 1', async t => {
  t.equal(share('--precision')('2%'), 0.02)
  t.equal(share('--precision')('0.05'), 0.05)
  for (const text of ['0%', '100%', '2', '-1%', 'x']) t.throws(() => share('--precision')(text), { code: 'bad-option' })
})

t.test('reads a share that may be 0, or 0 and 1', async t => {
  t.same(['0%', '0', '99%'].map(shareFromZero('--headroom')), [0, 0, 0.99])
  t.same(['0%', '1', '100%'].map(anyShare('--new-connections')), [0, 1, 1])
  for (const text of ['100%', '1', '-1%', '']) t.throws(() => shareFromZero('--headroom')(text), { code: 'bad-option' })
  for (const text of ['101%', '1.1', 'x']) t.throws(() => anyShare('--new-connections')(text), { code: 'bad-option' })
})

t.test('reads a count from 1 to its limit', async t => {
  t.equal(count('--connections')('100'), 100)
  for (const text of ['0', '-1', '1.5', 'many', '']) {
    t.throws(() => count('--connections')(text), { code: 'bad-option' })
  }
  t.throws(() => count('--port', 65535)('65536'), { code: 'bad-option', message: /from 1 to 65535/ })
})

t.test('reads a seed of up to 32 bits, including 0', async t => {
  t.equal(seed('--seed')('0'), 0)
  t.equal(seed('--seed')('4294967295'), 4294967295)
  t.throws(() => seed('--seed')('4294967296'), { code: 'bad-option' })
})

t.test('rejects a second path, and names the option for several', async t => {
  t.equal(onlyPath('/a'), '/a')
  t.throws(() => onlyPath('/b', '/a'), {
    code: 'bad-option', message: /"\/b": it follows --path \/a/, remedy: /--paths/
  })
})
