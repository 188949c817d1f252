import t from 'tap'
import { nearest } from '../../bench/shared/nearest.js'

const known = ['uds', 'cache', 'static-image', 'worker-connections', 'worker-processes']

t.test('finds the intended name despite a typing error', async t => {
  t.equal(nearest('usd', known), 'uds')
  t.equal(nearest('cahce', known), 'cache')
  t.equal(nearest('worker-conections', known), 'worker-connections')
  t.equal(nearest('UDS', known), 'uds')
})

t.test('finds a name by its beginning', async t => {
  t.equal(nearest('static', known), 'static-image')
})

t.test('returns undefined for an unrelated name', async t => {
  t.equal(nearest('gzip', known), undefined)
  t.equal(nearest('xy', known), undefined)
  t.equal(nearest('', known), undefined)
  t.equal(nearest('anything', []), undefined)
})
