import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { printRecord } from '../../bench/report/facts/facts.js'
import { findFault } from '../../bench/store/record-format.js'
import { hopbench, leavesNothing, makeWorkspace, runDir, samplesIn } from '../support/cli.js'
import { toAnswer } from '../support/rendered.js'

/** @import { Test } from 'tap' */

const { network } = await labFacts()
const noErrors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
const words = ['run', 'nginx:uds-keepalive/http-json', 'nginx:tcp/http-json']

/** Runs until one succeeds. Another program on the machine can invalidate trials, because it wakes paused arms. */
const TRIES = 3

/** @param {{ reason: { code: string } }} trial */
const getReason = ({ reason }) => reason

/**
 * Runs hopbench until no arm is invalid because of other programs on the machine.
 * @param {Test} t
 * @param {string[]} args
 */
async function measured (t, args) {
  for (let tries = 1; ; tries++) {
    const workspace = makeWorkspace(t)
    const { exit, stdout, stderr } = await hopbench([...args, '--results', workspace.results], { workspace })
    if (stdout === '') throw new Error(`no output: ${stderr}`)
    const record = JSON.parse(stdout)
    // An arm without a figure has no valid trial.
    const noisy = record.arms.some((/** @type {any} */ { invalid, rps, invalidTrials }) =>
      [invalid, ...rps ? [] : invalidTrials.map(getReason)].some(reason => reason?.code === 'idle-arms-busy'))
    if (!noisy || tries === TRIES) return { workspace, exit, stderr, record }
    t.comment('too noisy: another try')
  }
}

/**
 * Asserts that both arms have the proof of their transport and no errors.
 * @param {Test} t
 * @param {any} record
 * @param {number | null} exit
 */
function checkRecord (t, record, exit) {
  t.equal(exit, record.contrasts.some((/** @type {any} */ { verdict }) => verdict === 'invalid') ? 1 : 0)
  t.match(record, {
    schema: 3,
    kind: 'run',
    experiment: 'typed',
    protocol: 'gang',
    unit: 'requests',
    complete: true,
    tools: { nginx: /^\d+\.\d+\.\d+$/, autocannon: /^9\./ }
  })
  const [keepalive, tcp] = record.arms
  t.match([tcp, keepalive].map(({ proof }) => proof.socketType), ['tcp', 'unix'])
  // Requests that are between proxy and server at the end look like cache hits. A cache would serve nearly all.
  for (const { proof } of [tcp, keepalive]) t.ok(proof.cacheHitRatio < 0.5, 'no cache')
  t.ok(Math.abs(tcp.proof.upstreamConnectionsPerRequest - 1) < 0.1, 'a connection for every request')
  t.ok(keepalive.proof.upstreamConnectionsPerRequest < 0.05, 'pooled connections')
  for (const arm of record.arms) {
    t.strictSame(arm.errors, noErrors, arm.name)
    t.equal(arm.invalid, null, arm.name)
    if (!t.ok(arm.rps?.median > 0, arm.name)) return t.comment(arm.invalidTrials)
    t.ok(arm.cpuMicrosPerRequest.server > 0 && arm.cpuMicrosPerRequest.proxy > 0 && arm.cpuMicrosPerRequest.load > 0,
      arm.name)
    t.ok(arm.memoryMiB.server > 10 && arm.memoryMiB.proxy > 0, arm.name)
  }
  t.match(record.contrasts, [{ arm: 'nginx:tcp/http-json', baseline: 'nginx:uds-keepalive/http-json' }])
  t.not(record.contrasts[0].verdict, 'invalid')
}

t.test('compares two topologies typed as words, stores the run, and leaves no process or file behind', async t => {
  const { workspace, exit, stderr, record } = await measured(t,
    [...words, '--quick', '--warm-up', '1s', '--budget', '45s', '--json'])
  checkRecord(t, record, exit)
  if (network === 'namespaces') t.match(record.environment.lab, { network: 'namespaces', why: null })
  t.notOk(stderr.includes('\x1b'), 'no control characters in a pipe')

  const dir = runDir(workspace)
  t.equal(record.run, dir.split('/').at(-1))
  const stored = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
  const { answer, ...printed } = record
  t.equal(answer.text, toAnswer(stored))
  t.strictSame(printed, JSON.parse(JSON.stringify(printRecord(stored))), 'prints the stored record in words')
  t.equal(findFault('record', stored), null, 'the stored record matches the schema')
  t.equal(samplesIn(workspace).length, record.timing.blocks * 2)
  const kept = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  t.equal(kept.filter(file => file.endsWith('/nginx.conf')).length, 2, 'the configurations are kept')
  t.equal(kept.filter(file => file.endsWith('/error.log')).length, 2, 'and the logs')
  await leavesNothing(t, workspace)

  const report = await hopbench(['report', dir], { workspace })
  t.equal(report.exit, 0)
  t.match(report.stdout, 'nginx:tcp/http-json')
})

t.test('measures on the shared loopback with --no-lab', async t => {
  const { workspace, exit, record } = await measured(t, [...words, '--no-lab', '--smoke', '--json'])
  t.equal(exit, 0)
  t.match(record.environment.lab, { network: 'shared-loopback', why: /--no-lab/ })
  t.match(record.arms, [{ proof: { socketType: 'unix' } }, { proof: { socketType: 'tcp' } }])
  for (const { name, rps, errors } of record.arms) {
    t.ok(rps?.median > 0, name)
    t.strictSame(errors, noErrors, name)
  }
  await leavesNothing(t, workspace)
})
