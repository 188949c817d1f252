/** Lists of headers that recommended configurations remove or take for credentials. */
import fc from 'fast-check'
import t from '../support/tap.js'
import { SECRET_HEADER_NAME, isSecret } from '../../bench/shared/secrets.js'
import { ALIASES, CREDENTIAL_HEADERS } from '../../bench/topology/forgeable-headers.js'

t.test('each header with credentials is one by the rules for secrets', async t => {
  t.strictSame(CREDENTIAL_HEADERS.filter(name => !isSecret(name)), [])
  t.equal(new Set(CREDENTIAL_HEADERS.map(name => name.toLowerCase())).size, CREDENTIAL_HEADERS.length)
})

t.test('the pattern for names of headers is the rule for secrets', async t => {
  const word = fc.oneof(fc.constantFrom('x', 'api', 'key', 'keys', 'keyed', 'auth', 'pin', 'pins', 'session', 'jwt',
    'otp', 'compass', 'accept', 'signature', 'sig', 'csrf'), fc.stringMatching(/^[a-z0-9]{1,5}$/))
  const pattern = new RegExp(SECRET_HEADER_NAME, 'i')
  fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), words => {
    const name = words.join('-')
    return pattern.test(name) === isSecret(name)
  }))
  const ordinary = ['Accept', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Connection', 'DNT', 'Host',
    'If-Modified-Since', 'If-None-Match', 'Origin', 'Pragma', 'Priority', 'Range', 'Referer', 'Sec-CH-UA-Platform',
    'Sec-Fetch-Site', 'Sec-GPC', 'TE', 'Upgrade-Insecure-Requests', 'User-Agent', 'X-Requested-With']
  t.strictSame(ordinary.filter(name => pattern.test(name)), [], 'headers of every browser')
})

t.test('aliases are all spellings with other signs than "-"', async t => {
  t.strictSame(ALIASES.filter(name => /^x.real.ip$/i.test(name)), ['X_Real-IP', 'X.Real-IP', 'X-Real_IP', 'X_Real_IP',
    'X.Real_IP', 'X-Real.IP', 'X_Real.IP', 'X.Real.IP'])
  t.strictSame(ALIASES.filter(name => !/[_.]/.test(name)), [])
})
