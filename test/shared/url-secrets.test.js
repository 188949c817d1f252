/** Secrets in URLs of access logs and HAR files: each kind is found, and ordinary URLs are kept. */
import fc from 'fast-check'
import t from '../support/tap.js'
import { sha256 } from '../../bench/shared/sha256.js'
import { hasSecret, hasUrlSecret } from '../../bench/shared/url-secrets.js'
import { SEED } from '../support/fuzz-cases.js'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const RANDOM = 'Zx81hQ0pVn3sT7kLw9RbY2cMf5GdJ4uEaX6o1iKqN8v'
const HASH = '0f4a1c9be2d75f6a8b3c0d1e2f4a6b8c9d0e1f2a'
const UUID = '550e8400-e29b-41d4-a716-446655440000'
const SECRET = [
  `/reset/${JWT}`, `/a?x=${JWT}`, `/a-${JWT}`, '/a?session=1', '/session/eyJ1c2VyIjoxMjM0fQ',
  '/a;jsessionid=1A2B', '/a;v=1;token=1/b', '/a%3Bjsessionid%3D1A2B', '/a?next=%252Fb%253Ftoken%253D1',
  '/files/sk_live_abcdefghijkl', '/a?x=ghp_abcdefghijklmnop',
  '/callback?code=4%2F0AbUR2V&scope=a', '/callback?scope=a&state=af0ifjsldkj', '/callback?code=0123456789',
  '/?PHPSESSID=1a2b', '/?connect.sid=1', '/?sid=1',
  '/?ticket=ST-1-abc-cas', '/?SAMLResponse=PHNhbWw', '/join?invite=abc', '/a?email=me%40example.org',
  '/bucket/a.png?X-Amz-Algorithm=a&X-Amz-Signature=0a1b', '/a.png?sv=2024&sig=0a1b', '/a.mp4?hdnts=exp',
  '/a?user[password]=1', '/a?filter[code]=0a1b2c', '/token=1/b',
  `/a/${RANDOM}`, `/a?x=${RANDOM}`, `/a?x=${RANDOM}&file=a.png`, `/verify-email/${HASH}`,
  `/password_reset?lang=de&x=${HASH}`, `/share/${UUID}`,
  `/a?${'x'.repeat(8192)}`
]
const ORDINARY = [
  '/', '/items?page=2&sort=name', `/orders/${UUID}`, `/items/item_${UUID}?page=2`, '/posts/507f1f77bcf86cd799439011',
  '/blog/how-to-install-node-22-on-debian-and-ubuntu', '/wiki/TheBest10TipsForNodeOnUbuntuAndDebian',
  '/presets/1234567890123456',
  '/blog/iphone-15-pro-max-256gb-vs-galaxy-s24-ultra-512gb-2024', '/export/caching-proxies-in-2024-20240501T101010.csv',
  `/repo/commit/${HASH}`, `/avatar/${HASH}?s=80`, `/files/${HASH}.pdf`, `/hls/${HASH}/index.m3u8`,
  `/assets/index-${HASH}.js`, `/app.css?v=${RANDOM}`, `/img/${RANDOM}.webp`,
  `/_next/image?url=%2Fimg%2F${HASH}.jpg&w=1080`,
  '/_next/data/Zx81hQ0pVn3sT7kLw9RbY/en.json',
  '/ja/%E8%A3%BD%E5%93%81/%E3%82%B5%E3%83%BC%E3%83%90%E3%83%BC-2024',
  '/a;v=1/b', '/search?q=a%20b', '/%C3%A4.png', '/a?country_code=de', '/a?state=new-york&code=SALE', '/a?%zz=1'
]

t.test('finds the secret in each URL, and none in ordinary ones', async t => {
  for (const path of SECRET) t.equal(hasUrlSecret(path), true, path)
  for (const path of ORDINARY) t.equal(hasUrlSecret(path), false, path)
})

t.test('finds no secret in generated names of files, identifiers, titles and pages in other languages', async t => {
  const bytes = fc.nat().map(number => Buffer.from(sha256(String(number)), 'hex'))
  const toHex = (/** @type {number} */ length) => bytes.map(hash => hash.toString('hex').slice(0, length))
  const title = fc.array(fc.constantFrom('how', 'to', 'nginx', '22', '2024', '256gb', 'v1', 's24', 'part', 'Überblick',
    'サーバー', 'новости', 'The', 'Best', 'Node'), { minLength: 1, maxLength: 25 })
  const path = fc.oneof(
    fc.tuple(toHex(8), fc.constantFrom('js', 'css', 'png', 'pdf')).map(([hash, type]) => `/assets/a-${hash}.${type}`),
    fc.constantFrom(24, 32, 40, 64).chain(toHex).map(hash => `/commit/${hash}?page=2`),
    bytes.map(hash => `/img/${hash.toString('base64url')}.webp?w=1080`),
    bytes.map(hash => `/_next/data/${hash.toString('base64url').slice(0, 21)}/en.json`),
    fc.uuid().map(id => `/orders/${id}/items/item_${id}`),
    fc.tuple(title, fc.constantFrom('-', '_')).map(([words, sign]) => `/blog/${encodeURIComponent(words.join(sign))}`),
    title.map(words => `/search?q=${encodeURIComponent(words.join(' '))}&sort=price_asc&page=3`)
  )
  fc.assert(fc.property(path, path => !hasUrlSecret(path)), { numRuns: 1000, seed: SEED })
  t.pass('1000 paths')
})

t.test('a header has a secret by name or form, and not as a random text', async t => {
  for (const value of ['text/html; token=abc', `a/b; x=${JWT}`, 'a/b;PHPSESSID=1']) {
    t.equal(hasSecret(value), true, value)
  }
  for (const value of ['text/html,application/xhtml+xml,*/*;q=0.8', 'gzip, deflate;q=0.5, br',
    'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW', `a/b; x=${RANDOM}`]) {
    t.equal(hasSecret(value), false, value)
  }
})
