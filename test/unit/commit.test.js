import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { readCommit } from '../../bench/machine/commit.js'
import { run } from '../../bench/machine/process.js'

/** Keeps the settings of this account out. */
const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

t.test('reads the commit of a folder, and whether files differ from it', async t => {
  const dir = t.testdir({ 'a.js': '1\n', sub: { 'b.js': '2\n' } })
  const git = async (/** @type {string[]} */ ...args) => {
    const { exit, stderr } = await run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
      { cwd: dir, env })
    t.equal(exit, 0, stderr)
  }
  await git('init', '-q')
  t.equal(await readCommit(dir), null, 'without a commit')
  await git('add', '.')
  await git('commit', '-qm', 'a')
  const commit = await readCommit(join(dir, 'sub'))
  t.match(commit, { hash: /^[0-9a-f]{40}$/, changed: false })
  writeFileSync(join(dir, 'untracked.txt'), '')
  t.strictSame(await readCommit(dir), commit, 'a file that git does not track is no change')
  writeFileSync(join(dir, 'a.js'), '3\n')
  t.strictSame(await readCommit(dir), { ...commit, changed: true })

  const { GIT_DIR } = process.env
  process.env.GIT_DIR = t.testdirName
  t.teardown(() => { if (GIT_DIR === undefined) delete process.env.GIT_DIR; else process.env.GIT_DIR = GIT_DIR })
  t.match(await readCommit(dir), { hash: commit?.hash }, 'a hook of git names another repository')
})

t.test('a folder outside a repository has no commit, nor has a folder that does not exist', async t => {
  t.equal(await readCommit('/'), null)
  t.equal(await readCommit('/no/such/folder'), null)
})

t.test('a monitor that a repository configures is not started', async t => {
  const dir = t.testdir({ 'a.js': '1\n' })
  const marker = join(dir, 'started')
  writeFileSync(join(dir, 'monitor.sh'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
  for (const args of [['init', '-q'], ['config', 'core.fsmonitor', join(dir, 'monitor.sh')], ['add', 'a.js'],
    ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'a']]) {
    await run(['git', '-c', 'core.fsmonitor=false', ...args], { cwd: dir, env })
  }
  t.match(await readCommit(dir), { changed: false })
  t.notOk(existsSync(marker))
})
