/** Tests the run of a configuration of one's own: its misuse, and the counters that its files get. */
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { getPassAt, getProxyServers, readTree } from '../../../bench/features/own-config/model.js'
import { addCounters, findCause, isPooled, measureConfig } from '../../../bench/features/own-config/run-config.js'
import { parseConfig } from '../../../bench/features/own-config/syntax.js'
import { inEnvironment } from '../../support/provoke.js'

/** @import { Directive } from '../../../bench/features/own-config/types.js' */

const MAIN = '/etc/nginx/nginx.conf'
const INCLUDE = 'include /etc/hopbench/counters.conf;'
const world = { enclose: async () => 0, feed: null }

t.test('rejects a run without one app, a missing file, and a run without a private network', async t => {
  inEnvironment(t, { INIT_CWD: t.testdir({ 'nginx.conf': 'events {}' }) })
  /** @type {[words: string[], options: Record<string, any>, code: string][]} */
  const cases = [
    [['./nginx.conf'], {}, 'bad-option'],
    [['./nginx.conf'], { app: ['a=x', 'b=y'] }, 'bad-option'],
    [['./none.conf'], { app: ['x'] }, 'bad-option'],
    [['./nginx.conf'], { app: ['x'], load: [] }, 'bad-option'],
    [['./nginx.conf'], { app: ['x'], lab: false }, 'lab-needed']
  ]
  for (const [words, options, code] of cases) {
    await t.rejects(measureConfig({ words, options: { lab: true, ...options } }, world), { code })
  }
})

/**
 * Names and arguments of directives, without their places.
 * @param {Directive[]} directives
 * @returns {any[]}
 */
const toNames = directives => directives.map(({ name, args, children }) =>
  [name, ...args.map(({ value }) => value), ...children ? [toNames(children)] : []])

/**
 * Directives without those that addCounters() adds or changes.
 * @param {any[]} names
 * @returns {any[]}
 */
const withoutLogs = names => names.filter(([name, value]) =>
  !['access_log', 'daemon'].includes(name) && !(name === 'include' && value.includes('hopbench')))
  .map(directive => directive.map((/** @type {any} */ part) => Array.isArray(part) ? withoutLogs(part) : part))

/** Blocks of a server with and without logs, at any depth. */
const blocks = fc.letrec(tie => ({
  block: fc.array(fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('gzip on;', 'access_log off;', 'access_log /var/log/a.log combined;', '# a comment }\n',
      'add_header X "a;{}b";', 'proxy_pass http://app;'),
    tie('block').map(inner => `location /a {${inner}}`)
  ), { maxLength: 5 }).map(parts => parts.join('\n  '))
}))

t.test('the counters change no other directive of any configuration, and no block logs a response twice', async t => {
  const text = fc.record({ http: blocks.block, server: blocks.block, daemon: fc.constantFrom('', 'daemon on;') })
    .map(({ http, server, daemon }) => `${daemon} events {}\nhttp {${http}\nserver {\n${server}\n}\n}`)
  const { counterexample } = fc.check(fc.property(text, text => {
    const tree = readTree(MAIN, new Map([[MAIN, text]]))
    const [edited] = addCounters([{ path: MAIN, shown: 'nginx.conf', text, encoding: 'utf8' }], tree, 'counters')
    const [before, after] = [text, edited.text].map(text => toNames(parseConfig(text, MAIN)))
    const isSame = JSON.stringify(withoutLogs(after)) === JSON.stringify(withoutLogs(before))
    const isCounted = edited.text.split(INCLUDE).length === 2 && !/access_log off|daemon/.test(edited.text)
    return isSame && isCounted && countNoted(after) <= 1
  }))
  t.equal(counterexample, null)
})

/**
 * Returns the largest number of logs of the suite in one block.
 * @param {any[]} names
 * @returns {number}
 */
const countNoted = names => Math.max(names.filter(words => words.includes('if=$noted')).length,
  ...names.flatMap(words => words.filter(Array.isArray).map(countNoted)))

t.test('names the line because of which nginx keeps no connection', async t => {
  const write = (/** @type {string} */ upstream, /** @type {string} */ location) =>
    `http {\nupstream app { server 127.0.0.1:3000; ${upstream} }\nserver {\nlocation / {\nproxy_pass http://app;\n${
      location}\n}\n}\n}`
  /** @type {[upstream: string, location: string, pooled: boolean, line: number][]} */
  const cases = [
    ['keepalive 8;', 'proxy_set_header Connection "";', true, 2],
    ['', 'proxy_set_header Connection "";', false, 2],
    ['keepalive 8;', 'proxy_set_header Connection upgrade;', false, 6],
    ['keepalive 8;', '', false, 2]
  ]
  for (const [upstream, location, pooled, line] of cases) {
    const tree = readTree(MAIN, new Map([[MAIN, write(upstream, location)]]))
    const pass = getPassAt(getProxyServers(tree)[0].passes, '/')
    t.equal(isPooled(tree, pass), pooled, location)
    t.equal(findCause(tree, pass).line, line, location)
  }
})

t.test('a resumed or sent plan has no script to start', async t => {
  const { withoutSecrets } = await import('../../../bench/plan/stored-plan.js')
  const { planFor } = await import('../../support/samples.js')
  const plan = planFor()
  const config = { path: './nginx.conf', port: 80, apps: [3000], script: '/tmp/room.sh' }
  const own = plan.arms.map(arm => ({
    ...arm, topology: { ...arm.topology, proxy: arm.topology.proxy && { ...arm.topology.proxy, config } }
  }))
  const stored = withoutSecrets({ ...plan, arms: own })
  const scripts = stored.arms.flatMap(({ topology: { proxy } }) => proxy?.config ? [proxy.config.script] : [])
  t.ok(scripts.length > 0)
  t.strictSame(scripts, scripts.map(() => null))
  const { planFrom } = await import('../../../bench/request/request.js')
  const dir = t.testdir({ sent: { 'samples.jsonl': '' } })
  writeFileSync(join(dir, 'sent/plan.json'), JSON.stringify({ ...plan, arms: own }))
  const resumed = planFrom([], { lab: true, resume: join(dir, 'sent'), trustRun: true })
  await t.rejects(resumed, { code: 'bad-option', message: /which no run stores/ })
})
