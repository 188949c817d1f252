/** Tests that secrets are found in all common forms, that ordinary text stays, and that the time is linear. */
import t from '../support/tap.js'
import { isSecret, pathWithoutSecrets, REDACTED, secretsOf, textWithoutSecrets } from '../../bench/shared/secrets.js'

/** A text of each form that contains a secret with "hunter2" in it. */
const FORMS = [
  'DB_PASS=hunter2', 'STRIPE_KEY=hunter2', 'MASTER_KEY=hunter2', 'ENCRYPTION_KEY=hunter2',
  'MYSQL_ROOT_PASSWORD=hunter2', 'export PGPASSWORD=hunter2', 'JWT_SECRET: hunter2',
  'DATABASE_URL=postgres://app:hunter2@db/app',
  'AWS_SECRET_ACCESS_KEY=hunter2',
  'dbPass=hunter2', 'masterKey: "hunter2"', 'apiKey: \'hunter2\'', '"key":"hunter2"', '{"pass": "hunter2"}',
  '{"password":"hun\\"ter2hunter2"}', '{\\"token\\":\\"hunter2\\"}', 'password = hunter2', 'passphrase: hunter2',
  'node app.js --password hunter2', 'node app.js --api-key hunter2', 'app --token "a hunter2"',
  'app --db-pass=hunter2', 'DB_PASS=a,hunter2 node app.js', "DB_PASS='a '\\''hunter2' node app.js",
  'cd app; DB_PASS=a\\ }hunter2 node app.js', 'node app.js --password a,hunter2', 'https://me:a@hunter2@host/path',
  'java -password hunter2', 'mysql -u app -phunter2 db', 'mysqldump -phunter2', 'sshpass -p hunter2 ssh host',
  'redis-cli -h host -a hunter2', 'curl -u app:hunter2 http://host', 'curl --user app:hunter2 http://host',
  'X-Key: hunter2', 'Ocp-Apim-Subscription-Key: hunter2', 'X-Api-Key: hunter2', 'Authorization: Token hunter2',
  'Authorization: Bearer hunter2', 'Proxy-Authorization: Basic aHVudGVyMg hunter2', 'Cookie: theme=dark; sid=hunter2',
  'Set-Cookie: a=b; other=hunter2', 'GET /a?key=hunter2&page=2', 'GET /a?sig=hunter2', 'GET /a?pass=hunter2',
  'GET /a?X-Amz-Signature=hunter2', 'body: password%3Dhunter2', 'https://hunter2@host/path',
  'ghp_hunter2hunter2hunter2',
  'sk-ant-hunter2hunter2hunter2', 'SG.hunter2hunter2.hunter2hunter2', 'ya29.hunter2hunter2',
  'sk_live_hunter2hunter2hunter2', '-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nhunter2', 'Server=db;Password=hunter2;', 'session=hunter2', 'csrf_token=hunter2'
]
const ORDINARY = ['listening on http://127.0.0.1:3000', 'duplicate key: users_pkey', 'keepAliveTimeout=5000',
  'PORT=3000',
  'node server.js --port 3000 --keepalive 5', 'GET /a?page=2&sort=name 200 3 ms', 'docker run -p 3000:3000 app']
/** A limit for texts of which a quadratic pattern takes minutes, far above the milliseconds that they need. */
const MAX_MS = 10_000

t.test('removes the secret from every form', async t => {
  for (const form of FORMS) t.notMatch(textWithoutSecrets(form), 'hunter2', form)
  for (const text of ORDINARY) t.equal(textWithoutSecrets(text), text)
})

t.test('keeps the name, and the text after the value', async t => {
  t.equal(textWithoutSecrets('DB_PASS=abcdef PORT=3000'), `DB_PASS=${REDACTED} PORT=3000`)
  t.equal(textWithoutSecrets('app --password abcdef --port 3000'), `app --password ${REDACTED} --port 3000`)
  t.equal(textWithoutSecrets('Cookie: a=b; c=d\nPORT=3000'), `Cookie: ${REDACTED}\nPORT=3000`)
  t.equal(textWithoutSecrets('cmd="app --token abcdef" n=1'), `cmd="app --token ${REDACTED} n=1`)
  t.equal(textWithoutSecrets('the value abc-def-ghi', ['abc-def-ghi']), `the value ${REDACTED}`)
})

t.test('secret parameters of a path', async t => {
  t.equal(pathWithoutSecrets('/a?key=x&page=2&sig=y&%6Bey=z'),
    `/a?key=${REDACTED}&page=2&sig=${REDACTED}&%6Bey=${REDACTED}`)
  t.equal(pathWithoutSecrets('/a;jsessionid=x;v=1;token=y?page=2'),
    `/a;jsessionid=${REDACTED};v=1;token=${REDACTED}?page=2`)
  t.equal(pathWithoutSecrets('/cb?code=4%2F0AbUR2V&state=active&sid=1'),
    `/cb?code=${REDACTED}&state=active&sid=${REDACTED}`)
  t.strictSame(secretsOf({ headers: {}, path: '/cb?code=4%2F0AbUR2V&p=2&token=sesame' }, {}), ['4/0AbUR2V', 'sesame'])
  t.equal(pathWithoutSecrets('/a?page=2;token=x/y&b=1'), `/a?page=2;token=${REDACTED}&b=1`)
  for (const name of ['X-Key', 'DB_PASS', 'stripeKey', 'sid_token']) t.ok(isSecret(name), name)
  for (const name of ['Accept', 'keepAliveTimeout', 'passenger', 'Content-Type']) t.notOk(isSecret(name), name)
})

t.test('time is linear in the text', async t => {
  const MIB = 1 << 20
  for (const piece of ['a', 'a.', 'a=', 'a="', 'a=\'\\', '-a ', 'eyJ-', 'a:', 'a+', 'sk_live_', 'mysql ', 'curl ',
    'Bearer ', ' ', '"', '\\"', '?a', '&', 'key=', 'key="', 'Cookie:', '-----BEGIN PRIVATE KEY-----', '--key ',
    '://', 'a://', '%3D', 'key=\'', 'key=\\', ' key="\\', '--key "a']) {
    const text = piece.repeat(Math.ceil(MIB / piece.length))
    const start = performance.now()
    textWithoutSecrets(text)
    pathWithoutSecrets(text)
    t.ok(performance.now() - start < MAX_MS, `1 MiB of ${JSON.stringify(piece)}`)
  }
})
