import t from 'tap'
import { nearest } from '../../bench/shared/nearest.js'

const known = ['uds', 'cache', 'static-image', 'worker-connections', 'worker-processes']

t.test('a slip of the keys finds the name that was meant', async t => {
  t.equal(nearest('usd', known), 'uds')
  t.equal(nearest('cahce', known), 'cache')
  t.equal(nearest('worker-conections', known), 'worker-connections')
  t.equal(nearest('UDS', known), 'uds')
})

t.test('the beginning of a name finds it', async t => {
  t.equal(nearest('static', known), 'static-image')
})

t.test('a name that has nothing in common with any finds none', async t => {
  t.equal(nearest('gzip', known), undefined)
  t.equal(nearest('xy', known), undefined)
  t.equal(nearest('', known), undefined)
  t.equal(nearest('anything', []), undefined)
})
