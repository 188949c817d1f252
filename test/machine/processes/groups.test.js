/** Processes that a marked program starts in other groups and sessions, as turbo, PM2 and setsid do. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { start } from '../../../bench/machine/process.js'
import { groupMembers } from '../../../bench/machine/probe.js'
import { seeded } from '../../support/random.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Test } from 'tap' */

const skip = process.platform === 'linux' ? false : 'there is no /proc'
const CASES = 25
const MARK = 'HOPBENCH_GROUPS_TEST'

/**
 * Returns a random shell command whose last processes write their PIDs into files. A process without the mark keeps its
 * parent, because nothing else shows where it belongs.
 * @param {ReturnType<typeof seeded>} random
 * @param {{ depth: number, isMarked: boolean, next: () => number }} tree
 * @returns {string}
 */
function toCommand (random, tree) {
  const { depth, isMarked, next } = tree
  if (depth === 0) return `sh -c 'echo $$ > pid-${next()}; exec sleep 100'`
  const below = (more = {}) => toCommand(random, { ...tree, depth: depth - 1, ...more })
  const parts = [
    () => `setsid --wait ${below()}`,
    () => `env -u ${MARK} ${below({ isMarked: false })}`,
    () => `{ ${below()} & ${below()} & wait; }`,
    ...isMarked ? [() => `setsid --fork ${below()}`, () => `{ ${below()} & }`] : []
  ]
  const script = random.pick(parts)().replaceAll("'", "'\\''")
  return `sh -c '${script}'`
}

/**
 * Starts a marked command.
 * @param {Test} t
 * @param {string} dir
 * @param {string} command
 */
function startMarked (t, dir, command) {
  const child = start({
    name: 'it',
    argv: ['sh', '-c', command],
    env: { [MARK]: dir },
    mark: `${MARK}=${dir}`,
    cwd: dir,
    log: join(dir, 'log')
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return child
}

/** @param {string} dir */
const readPids = dir => readdirSync(dir).filter(name => name.startsWith('pid-'))
  .map(name => Number(readFileSync(join(dir, name), 'utf8')))

/** @param {() => boolean} check */
async function until (check) {
  for (let tries = 0; !check() && tries < 1000; tries++) await sleep(10)
  return check()
}

/** @param {number} pid */
const getState = pid => existsSync(`/proc/${pid}`)
  ? /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  : undefined

t.test('finds, pauses, resumes and ends every process of a marked program in any group and session', { skip },
  async t => {
    for (let seed = 1; seed <= CASES; seed++) {
      const random = seeded(seed)
      const dir = tempFolder(t)
      let leaves = 0
      const command = toCommand(random, { depth: 1 + random.below(3), isMarked: true, next: () => leaves++ })
      const child = startMarked(t, dir, command)
      await until(() => readPids(dir).length === leaves && !readPids(dir).includes(0))
      const pids = readPids(dir)
      t.equal(pids.length, leaves, `${seed}: ${command}`)
      const members = groupMembers(child.groups())
      t.strictSame(pids.filter(pid => !members.includes(pid)), [], `seed ${seed} finds all of ${command}`)
      t.equal(child.ended(), null)
      child.pause()
      t.ok(await until(() => pids.every(pid => getState(pid) === 'T')), 'paused')
      child.resume()
      t.ok(await until(() => pids.every(pid => getState(pid) === 'S')), 'resumed')
      await child.stop({ graceSeconds: 0.1 })
      t.strictSame(pids.filter(pid => ![undefined, 'Z'].includes(getState(pid))), [], 'ended')
    }
  })

t.test('a process with the mark of another program does not belong to a marked one', { skip }, async t => {
  const dir = tempFolder(t)
  const child = startMarked(t, dir, `${MARK}=other setsid --wait sh -c 'echo $$ > pid-0; exec sleep 100' & wait`)
  await until(() => readPids(dir).some(pid => pid > 0))
  const [pid] = readPids(dir)
  t.teardown(() => process.kill(pid, 'SIGKILL'))
  t.equal(groupMembers(child.groups()).includes(pid), false)
})

t.test('a command that exits with 0 ends with the last process that it left', { skip }, async t => {
  const dir = tempFolder(t)
  const child = startMarked(t, dir, 'sleep 1 & exit 0')
  t.equal(child.ended(), null)
  t.strictSame(await child.exited, { code: 0, signal: null })
  t.strictSame(groupMembers(child.groups()), [])
})

t.test('a command that exits with an error has ended', { skip }, async t => {
  const child = startMarked(t, tempFolder(t), 'sleep 100 & exit 3')
  t.strictSame(await child.exited, { code: 3, signal: null })
  t.strictSame(child.ended(), { code: 3, signal: null })
  await child.stop()
  t.strictSame(groupMembers(child.groups()), [])
})
