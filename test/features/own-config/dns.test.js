/** Tests the responses of the name server of rooms. */
import t from '../../support/tap.js'
import { respond } from '../../../bench/features/own-config/dns.js'

const HOSTS = new Map([['web.local', '10.214.0.1']])

/**
 * Returns a query of RFC 1035 for a name.
 * @param {string} name
 * @param {number} type
 */
const toQuery = (name, type) => Buffer.concat([
  Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ...name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
  Buffer.from([0, 0, type, 0, 1])
])

t.test('returns the address of a host, and no error for its other types', async t => {
  const query = toQuery('Web.local', 1)
  const response = respond(query, HOSTS)
  t.equal(response.toString('hex'), `12348180000100010000000${'0'}${query.subarray(12).toString('hex')}` +
    'c00c0001000100000001' + '00040ad60001')
  t.equal(respond(toQuery('web.local', 28), HOSTS).subarray(2, 8).toString('hex'), '818000010000')
})

t.test('returns that a name is unknown', async t => {
  t.equal(respond(toQuery('other', 1), HOSTS).subarray(2, 8).toString('hex'), '818300010000')
})
