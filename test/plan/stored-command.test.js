/** Tests that a stored command line has no secrets and is otherwise unchanged, and that a shell reads it back. */
import { execFileSync } from 'node:child_process'
import t from '../support/tap.js'
import { quoteForShell } from '../../bench/errors.js'
import { printCommand, toCommandLine, toStoredCommand } from '../../bench/plan/stored-command.js'
import { REDACTED } from '../../bench/shared/secrets.js'
import { findFault } from '../../bench/store/record-format.js'
import { planFrom } from '../../bench/request/request.js'
import { seeded } from '../support/random.js'
import { makePlan } from '../support/record.js'

/** @typedef {ReturnType<typeof seeded>} Random */

const COMMANDS = 3000
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
/** Characters between the parts of a secret: all of ASCII that its place permits. */
const PUNCTUATION = {
  header: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ',
  user: '!"$%&\'()*+,-.:;<=>@[\\]^_`{|}~',
  query: '!"$%\'()*+,-./:;<=>?@[\\]^_`{|}~ ',
  body: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t',
  variable: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ',
  bare: '!%+,-./:=?@[]^_{}~'
}
const HEADERS = ['Authorization', 'authorization', 'Proxy-Authorization', 'Cookie', 'X-Api-Key', 'X-Auth-Token', 'pin']
const PARAMETERS = ['token', 'api_key', 'key', 'sig', 'password', 'user[password]', '%74oken', 'X-Amz-Signature']
const VARIABLES = ['DB_PASS', 'API_KEY', 'JWT_SECRET', 'PGPASSWORD', 'SESSION_TOKEN', 'dbPassword', 'STRIPE_KEY']

/** Words without a secret. Each row is an option with its values, or a positional word. */
const PLAIN = [['run'], ['uds'], ['--quick'], ['--budget', '90s'], ['--precision', '2%'], ['--json'],
  ['nginx:uds-keepalive+cache=5s/express-json@cluster:4'], ['--app', 'node server.js --port 3000'],
  ['--app', "shop=NODE_ENV=production PORT=3000 node 'my app.js'"], ['--path', '/a?page=2&sort=name'],
  ['--header', 'Accept: text/html'], ['--header=X-Trace: on'], ['http://127.0.0.1:3000/a?b=c'],
  ['--url', 'https://shop.example/api'], ['--results', '/srv/my results'], ['--ignore-body', '"at":\\d+'],
  ['--files', '/assets=./public'], ['--plan', 'Heroku Standard-1X', 'Fly.io shared-cpu-1x'],
  ['--assume-vcpu', 'Heroku Standard-1X=0.5'], ['--body-file', 'order.json'], ['--resume'], ['']]

/**
 * Makes a secret of parts that occur nowhere else, with punctuation between them.
 * @param {Random} random
 * @param {string} punctuation
 */
function makeSecret ({ below, pick }, punctuation) {
  const parts = Array.from({ length: 1 + below(4) }, () =>
    `9${Array.from({ length: 6 }, () => pick([...LETTERS])).join('')}`)
  const text = parts.reduce((text, part) =>
    text + Array.from({ length: 1 + below(2) }, () => pick([...punctuation])).join('') + part)
  return { parts, text }
}

/**
 * Writes a text as a word of a shell, in one of its forms.
 * @param {Random} random
 * @param {string} text
 */
const toShell = ({ pick }, text) => pick([
  quoteForShell,
  (/** @type {string} */ text) => `"${text.replace(/["\\$`]/g, '\\$&')}"`,
  (/** @type {string} */ text) => text.replace(/[^\w]/g, '\\$&')
])(text)

/**
 * Makes an app command with an assignment of a secret.
 * @param {Random} random
 */
function makeAssignment (random) {
  const isBare = random.chance(0.3)
  const { parts, text } = makeSecret(random, PUNCTUATION[isBare ? 'bare' : 'variable'])
  const value = isBare ? text : toShell(random, text)
  const before = random.pick(['', 'shop=', 'PORT=3000 ', 'env ', 'cd app && ', 'export A=1; '])
  return { parts, value: `${before}${random.pick(VARIABLES)}=${value} node server.js --port 3000` }
}

/**
 * Makes a URL or a path with a secret.
 * @param {Random} random
 * @param {'user' | 'query'} place
 */
function makeAddress (random, place) {
  const { parts, text } = makeSecret(random, PUNCTUATION[place])
  if (place === 'user') {
    const user = random.pick(['me:', ''])
    return { parts, value: `${random.pick(['http', 'https', 'postgres'])}://${user}${text}@shop.example:3000/a` }
  }
  const start = random.pick(['/a', 'http://127.0.0.1:3000/a/b', 'https://shop.example'])
  const query = [`${random.pick(PARAMETERS)}=${text}`, ...random.chance(0.5) ? ['page=2'] : []]
  if (random.chance(0.5)) query.unshift('sort=name')
  return { parts, value: `${start}?${query.join('&')}` }
}

/**
 * Options that can hold a secret.
 * @type {Record<string, (random: Random) => { parts: string[], value: string }>}
 */
const SECRETS = {
  '--header': random => {
    const { parts, text } = makeSecret(random, PUNCTUATION.header)
    return { parts, value: `${random.pick(HEADERS)}:${random.pick([' ', ''])}${random.pick(['', 'Bearer '])}${text}` }
  },
  '--body': random => {
    const { parts, text } = makeSecret(random, PUNCTUATION.body)
    return { parts, value: text }
  },
  '--app': makeAssignment,
  '--build': makeAssignment,
  '--path': random => makeAddress(random, 'query'),
  '--url': random => makeAddress(random, random.pick(['user', 'query']))
}

/** Makes words with a secret: an option with its value in both forms, or a positional word. @param {Random} random */
function makeSecretWords (random) {
  const option = random.pick(Object.keys(SECRETS))
  const { parts, value } = SECRETS[option](random)
  if (option === '--url' && random.chance(0.5)) return { parts, words: [value] }
  return { parts, words: random.chance(0.5) ? [option, value] : [`${option}=${value}`] }
}

t.test('a stored command has no part of a secret, and all other words as they were typed', async t => {
  const random = seeded(1)
  let secrets = 0
  for (let i = 0; i < COMMANDS; i++) {
    const rows = Array.from({ length: 1 + random.below(5) }, () =>
      random.chance(0.5) ? makeSecretWords(random) : { parts: [], words: random.pick(PLAIN) })
    const argv = rows.flatMap(({ words }) => words)
    const stored = toStoredCommand(argv)
    const typed = JSON.stringify(argv)
    if (stored.length !== argv.length) t.fail(`${typed} has ${stored.length} words`)
    let at = 0
    for (const { parts, words } of rows) {
      const found = stored.slice(at, at += words.length)
      if (parts.length === 0) {
        if (JSON.stringify(found) !== JSON.stringify(words)) t.strictSame(found, words, typed)
        continue
      }
      secrets++
      const leak = parts.find(part => stored.join('\n').includes(part))
      if (leak !== undefined) t.fail(`${JSON.stringify(words)} is stored as ${JSON.stringify(found)}`)
      if (!found.at(-1)?.includes(REDACTED)) t.fail(`${JSON.stringify(words)} has lost its value`)
    }
  }
  t.ok(secrets > COMMANDS)
})

t.test('keeps the names of headers, parameters and variables, and the words after a secret', async t => {
  t.strictSame(toStoredCommand(['run', '--header', 'Authorization: Bearer abc def', '--header=X-Key: a',
    '--path', '/a?token=a,b&page=2', '--body', '{"a":1}', '--body={}', '--app', "DB_PASS='a b' node a.js", 'uds']),
  ['run', '--header', `Authorization: ${REDACTED}`, `--header=X-Key: ${REDACTED}`,
    '--path', `/a?token=${REDACTED}&page=2`, '--body', REDACTED, `--body=${REDACTED}`,
    '--app', `DB_PASS=${REDACTED} node a.js`, 'uds'])
})

t.test('a plan with any stored command can be read', async t => {
  const command = toStoredCommand(['--app', 'a\nb\tc\u202ed\u2028e', '--body', '\0'])
  t.strictSame(command, ['--app', 'a b c d e', '--body', REDACTED])
  t.equal(findFault('plan', JSON.parse(JSON.stringify(makePlan({ command })))), null)
})

t.test('the plan of a command has its command line', async t => {
  const argv = ['run', 'uds', '--header', 'Cookie: sid=abcdef']
  const { plan } = await planFrom(['uds'], { lab: true, seed: 1, argv })
  t.strictSame(plan.command, ['run', 'uds', '--header', `Cookie: ${REDACTED}`])
})

t.test('a shell reads each word of a printed command as one argument', async t => {
  const random = seeded(2)
  const letters = [...'ab \'"\\$`;&|<>(){}[]*?!#~=%…', REDACTED]
  const script = (/** @type {string} */ command) => `hopbench () { printf '%s\\0' "$@"; }; ${command}`
  for (let i = 0; i < 50; i++) {
    const words = Array.from({ length: 1 + random.below(6) }, () =>
      Array.from({ length: random.below(9) }, () => random.pick(letters)).join(''))
    const output = execFileSync('sh', ['-c', script(printCommand(words))], { encoding: 'utf8' })
    t.strictSame(output.split('\0').slice(0, -1), words.map(word => word.replaceAll(REDACTED, '…')))
  }
  t.equal(printCommand(['run', 'nginx:uds/app', '--app', 'node a.js', '--quick']),
    "hopbench run nginx:uds/app --app 'node a.js' --quick")
})

t.test('the command line of a request can be typed', async t => {
  const options = {
    quick: true,
    smoke: false,
    app: ["node 'a b.js'", 'new=node b.js'],
    readyWithin: 5,
    p99: 0.1,
    seed: 0,
    release: undefined,
    lab: false,
    wait: true
  }
  const argv = toCommandLine('run', { words: ['app', 'nginx:uds/new'], options })
  t.strictSame(argv, ['run', 'app', 'nginx:uds/new', '--quick', '--app', "node 'a b.js'", '--app', 'new=node b.js',
    '--ready-within', '5s', '--p99', '0.1s', '--seed', '0', '--no-lab'])
})
