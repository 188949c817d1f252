import t from '../support/tap.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { parse } from '../../bench/plan/spec.js'
import { printWarning } from '../../bench/report/facts/facts.js'
import { makeArm, makeRecord } from '../support/record.js'

/** @import { AppCommand, ArmResult, Reason } from '../../bench/types.js' */

/** @type {AppCommand} */
const COMMAND = { run: 'node app.js', listen: ['tcp'], cwd: '/', readySeconds: 60 }

/**
 * @param {string} spec
 * @param {{ code?: Reason['code'], proof?: object, command?: AppCommand | null }} [found] code: of its only trial
 * @returns {ArmResult}
 */
function armOf (spec, { code, proof = {}, command = COMMAND } = {}) {
  const topology = parse(spec)
  if (command && topology.server) topology.server.command = command
  const arm = makeArm({ name: spec, spec, topology })
  return {
    ...arm,
    load: { ...arm.load, connections: 100 },
    invalidTrials: code ? [{ block: 0, reason: /** @type {any} */ ({ code, params: {} }) }] : [],
    proof: { ...arm.proof, ...proof }
  }
}

/** Returns the warnings about apps. @param {ArmResult[]} arms */
const warningsOf = arms =>
  findWarnings(makeRecord({ arms, contrasts: [] })).filter(({ code }) => code.startsWith('app-'))

/** @param {ArmResult[]} arms */
const codesOf = arms => warningsOf(arms).map(({ code }) => code)

t.test('warns of an app that closes its connections, with the topology to measure instead', async t => {
  const [warning, ...others] = warningsOf([
    armOf('app'),
    armOf('nginx:keepalive+cache=5s/app', { code: 'not-pooled' }),
    armOf('nginx:uds-keepalive/app', { code: 'not-pooled' })
  ])
  t.same(others, [])
  t.same(warning.params, {
    arms: ['nginx:keepalive+cache=5s/app', 'nginx:uds-keepalive/app'],
    words: ['nginx:tcp+cache=5s/app', 'nginx:uds/app']
  })
  t.match(printWarning(warning).remedy.text, 'nginx:uds/app')
})

t.test('warns of an app that leaves connections without a response', async t => {
  const [warning] = warningsOf([armOf('app', { code: 'clients-hang' })])
  t.match(warning, { code: 'app-hangs', params: { connections: 100 } })
})

t.test('warns of an app that writes to its output for each request, unless the output is discarded', async t => {
  const proof = { writesPerRequest: true }
  t.same(codesOf([armOf('app', { proof })]), ['app-writes-output'])
  t.same(codesOf([armOf('app', { proof, command: { ...COMMAND, quiet: true } })]), [])
})

t.test('does not warn of the suite\'s own servers', async t => {
  t.same(codesOf([armOf('nginx:keepalive/express-json', { code: 'not-pooled', command: null })]), [])
})
