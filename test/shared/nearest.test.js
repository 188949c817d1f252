import t from '../support/tap.js'
import { nearest } from '../../bench/shared/nearest.js'

const names = ['uds', 'cache', 'static-image', 'worker-connections', 'worker-processes']

t.test('finds the intended name despite a typing error', async t => {
  t.equal(nearest('usd', names), 'uds')
  t.equal(nearest('cahce', names), 'cache')
  t.equal(nearest('worker-conections', names), 'worker-connections')
  t.equal(nearest('UDS', names), 'uds')
})

t.test('finds a name by its beginning', async t => {
  t.equal(nearest('static', names), 'static-image')
})

t.test('returns undefined for an unrelated name', async t => {
  t.equal(nearest('gzip', names), undefined)
  t.equal(nearest('xy', names), undefined)
  t.equal(nearest('', names), undefined)
  t.equal(nearest('anything', []), undefined)
})
