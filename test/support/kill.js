/**
 * kill -9 of the suite at random moments, while it measures in every way it knows: nothing may stay, no stored file
 * may be half
 * a file, and what was cut off can go on.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { faultOf } from '../../bench/store/record-format.js'
import { readRun } from '../../bench/store/store.js'
import { randomFrom } from '../../bench/shared/random.js'
import { begin, hopbench, leavesNothing, placeFor, processesOf } from './cli.js'

/** @import { StoredRun } from '../../bench/types.js' */
/** @import { Place } from './cli.js' */
/** @import { Test } from 'tap' */

/** A run in each of the ways to measure, and one with a process manager. */
const RUNS = [
  ['http-json', 'nginx:uds/http-json'],
  ['nginx:keepalive/http-json@cluster:2', 'nginx:tcp/http-json'],
  ['nginx:uds/http-json@pm2:2', 'http-json'],
  ['connections'],
  ['latency'],
  ['time-wait'],
  ['apache']
]
/** From the first process on: setting up, warming up, measuring, storing, ending. */
const LATEST_SECONDS = 14
/** Of a run and what is resumed of it: long enough for blocks of each kind. */
const BUDGET = '20s'
const GONE_SECONDS = 20

/**
 * @param {Test} t
 * @param {{ kills: number, seed: number, env?: Record<string, string>, say?: (line: string) => void }} options say:
 *   told after each, for whoever waits half an hour, or has to end it before
 */
export async function killAtRandom (t, { kills, seed, env = {}, say = () => {} }) {
  const random = randomFrom(seed, 'kill')
  for (let i = 0; i < kills; i++) {
    const words = RUNS[i % RUNS.length]
    const after = random() * LATEST_SECONDS
    await t.test(`${words.join(' against ')}, killed after ${after.toFixed(2)} s`, async t => {
      const place = placeFor(t)
      const call = begin(t, ['run', ...words, '--quick', '--budget', BUDGET, '--results', place.results], {
        place,
        env
      })
      await sleep(after * 1000)
      // The outer process alone, not its group: nobody but the kernel, or the supervisor, ends the rest.
      process.kill(call.child.pid, 'SIGKILL')
      await call.child.exited
      const deadline = Date.now() + GONE_SECONDS * 1000
      while (processesOf(place).length > 0 && Date.now() < deadline) await sleep(50)
      t.strictSame(processesOf(place), [], 'no process, and so no namespace')
      const stored = await lastRun(place)
      if (stored) {
        t.ok(stored.record === null || faultOf('record', stored.record) === null, 'no half-written record')
        if (stored.plan && !stored.record?.complete) await goesOn(t, place, stored, env)
      }
      // The next start removes what a killed one has left.
      await hopbench(['run', 'http-json', '--quick', '--budget', '4s', '--results', join(place.dir, 'other')], {
        place,
        env
      })
      await leavesNothing(t, place)
      const outcome = t.passing() ? 'nothing left' : 'NOT OK'
      say(`${i + 1} of ${kills}: ${outcome} (${words.join(' against ')}, killed after ${after.toFixed(2)} s)`)
    })
  }
}

/** @param {Place} place */
async function lastRun ({ results }) {
  const [run] = !existsSync(results)
    ? []
    : readdirSync(results, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)
  return run === undefined ? null : readRun(join(results, run))
}

/**
 * @param {Test} t
 * @param {Place} place
 * @param {StoredRun} stored
 * @param {Record<string, string>} env
 */
async function goesOn (t, place, { dir, plan, samples }, env) {
  const { exit, stderr } = await hopbench(['run', '--resume', dir, '--results', place.results, '--json'], {
    place,
    env,
    timeoutSeconds: 500
  })
  t.ok(exit === 0 || exit === 1, stderr)
  const after = await readRun(dir)
  t.strictSame(after.samples.slice(0, samples.length), samples, 'what was measured is still there')
  t.equal(after.record?.seed, plan?.seed, 'the same seed')
  t.equal(after.record?.complete, true, 'it is complete now')
  t.strictSame(after.record?.arms.map(({ name }) => name), plan?.arms.map(({ name }) => name))
}

/**
 * PATH on which namespaces are refused.
 * @param {string} dir takes a program
 */
export function withoutNamespaces (dir) {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'unshare')
  writeFileSync(file, '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n')
  chmodSync(file, 0o755)
  return { PATH: `${dir}:${process.env.PATH}` }
}
