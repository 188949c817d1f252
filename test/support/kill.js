/**
 * Kills the suite with kill -9 at random moments, under several protocols. No process and no temporary file may remain,
 * no stored file may be truncated, and an interrupted run can be resumed.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFault } from '../../bench/store/record-format.js'
import { readRun } from '../../bench/store/store.js'
import { randomFrom } from '../../bench/shared/random.js'
import { begin, hopbench, leavesNothing, makeWorkspace, remainingProcesses } from './cli.js'

/** @import { StoredRun } from '../../bench/types.js' */
/** @import { Workspace } from './cli.js' */
/** @import { Test } from 'tap' */

/** Runs with different protocols and process managers. */
const RUNS = [
  ['http-json', 'nginx:uds/http-json'],
  ['nginx:keepalive/http-json@cluster:2', 'nginx:tcp/http-json'],
  ['nginx:uds/http-json@pm2:2', 'http-json'],
  ['connections'],
  ['latency'],
  ['time-wait'],
  ['apache']
]
/** Latest moment of a kill after the start. The time covers set-up, warm-up, measuring, storing and the end. */
const LATEST_SECONDS = 14
/** Options of the shortest run. */
const SHORT = ['--quick', '--warm-up', '1s']
/** Time budget of a run and of its resumption. Each protocol completes blocks within it. */
const BUDGET = '20s'
const GONE_SECONDS = 20

/**
 * Kills runs and checks after each kill what remains.
 * @param {Test} t
 * @param {{ kills: number, seed: number, env?: Record<string, string>, printProgress?: (line: string) => void }}
 *   options printProgress:
 *   prints progress after each kill, because the test may take half an hour
 */
export async function killAtRandom (t, { kills, seed, env = {}, printProgress = () => {} }) {
  const random = randomFrom(seed, 'kill')
  for (let i = 0; i < kills; i++) {
    const words = RUNS[i % RUNS.length]
    const after = random() * LATEST_SECONDS
    await t.test(`${words.join(' against ')}, killed after ${after.toFixed(2)} s`, async t => {
      const workspace = makeWorkspace(t)
      const call = begin(t, ['run', ...words, ...SHORT, '--budget', BUDGET, '--results', workspace.results], {
        workspace,
        env
      })
      await sleep(after * 1000)
      // Kills only the outer process, not its group. The kernel or the supervisor must end the other processes.
      process.kill(call.child.pid, 'SIGKILL')
      await call.child.exited
      t.strictSame(await remainingProcesses(workspace, GONE_SECONDS), [], 'no process, and so no namespace')
      const stored = await lastRun(workspace)
      if (stored) {
        t.ok(stored.record === null || findFault('record', stored.record) === null, 'no half-written record')
        if (stored.plan && !stored.record?.complete) await checkResumption(t, workspace, stored, env)
      }
      // The next start removes the leftovers of a killed run.
      await hopbench(['run', 'http-json', '--smoke', '--results', join(workspace.dir, 'other')], { workspace, env })
      await leavesNothing(t, workspace)
      const outcome = t.passing() ? 'nothing left' : 'NOT OK'
      printProgress(`${i + 1} of ${kills}: ${outcome} (${words.join(' against ')}, killed after ${after.toFixed(2)} s)`)
    })
  }
}

/** @param {Workspace} workspace */
async function lastRun ({ results }) {
  const [run] = !existsSync(results)
    ? []
    : readdirSync(results, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)
  return run === undefined ? null : readRun(join(results, run))
}

/**
 * @param {Test} t
 * @param {Workspace} workspace
 * @param {StoredRun} stored
 * @param {Record<string, string>} env
 */
async function checkResumption (t, workspace, { dir, plan, samples }, env) {
  const { exit, stderr } = await hopbench(['run', '--resume', dir, '--results', workspace.results, '--json'], {
    workspace,
    env,
    timeoutSeconds: 500
  })
  t.ok(exit === 0 || exit === 1, stderr)
  const after = await readRun(dir)
  t.strictSame(after.samples.slice(0, samples.length), samples, 'earlier samples are kept')
  t.equal(after.record?.seed, plan?.seed, 'the same seed')
  t.equal(after.record?.complete, true, 'it is complete now')
  t.strictSame(after.record?.arms.map(({ name }) => name), plan?.arms.map(({ name }) => name))
}

/**
 * Returns a PATH whose `unshare` always fails.
 * @param {string} dir folder for the program
 */
export function withoutNamespaces (dir) {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'unshare')
  writeFileSync(file, '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n')
  chmodSync(file, 0o755)
  return { PATH: `${dir}:${process.env.PATH}` }
}
