/** Targets of `hopbench diff`: refs, merge bases, folders and the working tree. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { onPath } from '../../../bench/machine/setup/path.js'
import { checkOut, findCommit } from '../../../bench/features/diff/git.js'
import { findTargets, readWords } from '../../../bench/features/diff/targets.js'
import { inEnvironment, program } from '../../support/provoke.js'
import { git, makeRepository } from '../../support/repository.js'

t.test('splits words into base and head, and HEAD is the working tree', async t => {
  /** @type {[string[], ReturnType<typeof readWords>][]} */
  const cases = [
    [['main'], { base: 'main', head: null, isByMergeBase: false }],
    [['main', 'HEAD'], { base: 'main', head: null, isByMergeBase: false }],
    [['HEAD'], { base: 'HEAD', head: null, isByMergeBase: false }],
    [['main...HEAD'], { base: 'main', head: null, isByMergeBase: true }],
    [['main...'], { base: 'main', head: null, isByMergeBase: true }],
    [['v1.2.0..v1.3.0'], { base: 'v1.2.0', head: 'v1.3.0', isByMergeBase: false }],
    [['main...topic/x'], { base: 'main', head: 'topic/x', isByMergeBase: true }],
    [['../before', '.'], { base: '../before', head: '.', isByMergeBase: false }]
  ]
  for (const [words, expected] of cases) t.strictSame(readWords(words), expected, words.join(' '))
  const folder = t.testdir({ packages: {}, old: {}, 'v1..2': {} })
  inEnvironment(t, { INIT_CWD: folder })
  for (const word of ['packages/../old', 'v1..2', join(folder, 'v1..2')]) {
    t.strictSame(readWords([word]), { base: word, head: null, isByMergeBase: false }, 'a folder is no range')
  }
  t.throws(() => readWords([]), { code: 'bad-option', message: /it takes a git ref or a folder/ })
  t.throws(() => readWords(['a', 'b', 'c']), { code: 'bad-option', message: /two states are compared/ })
  for (const words of [[''], ['', 'HEAD'], ['main', '']]) {
    t.throws(() => readWords(words), { code: 'bad-option', message: /the word is empty/ }, 'an unset variable')
  }
})

t.test('describes a ref and a working tree with uncommitted files', async t => {
  const folder = await makeRepository(t)
  inEnvironment(t, { INIT_CWD: folder })
  const [main, feature] = await Promise.all(['main', 'feature'].map(name => git(folder, 'rev-parse', name)))
  const clean = await findTargets(['main'], {})
  t.match(clean, {
    base: { label: `main at ${main.slice(0, 8)} "First version"`, ref: 'main', commit: main, top: null, inside: '' },
    head: { label: `your working tree at ${feature.slice(0, 8)}, without changes`, ref: null, changes: 0, top: folder }
  })
  writeFileSync(join(folder, 'app.js'), '// changed\n')
  writeFileSync(join(folder, 'new.js'), '')
  mkdirSync(join(folder, 'runs'))
  writeFileSync(join(folder, 'runs/run.json'), '{}')
  t.match(await findTargets(['main'], { results: 'runs' }),
    { head: { label: /, with 2 uncommitted files$/, changes: 2 } })
})

t.test('compares with the commit where two branches parted', async t => {
  const folder = await makeRepository(t)
  inEnvironment(t, { INIT_CWD: folder })
  const parted = await git(folder, 'rev-parse', 'main')
  await git(folder, 'checkout', '--quiet', 'main')
  await git(folder, 'commit', '--quiet', '--allow-empty', '--message=Later')
  await git(folder, 'checkout', '--quiet', 'feature')
  t.match(await findTargets(['main...HEAD'], {}), {
    base: { commit: parted, label: /"First version", where main and head parted$/ }
  })
  t.not((await findTargets(['main'], {})).base.commit, parted)
})

t.test('a shallow clone names the line that fetches a ref or the merge base', async t => {
  const origin = await makeRepository(t)
  const clone = join(t.testdir({}), 'clone')
  await git(origin, 'commit', '--quiet', '--allow-empty', '--message=Third')
  await git(origin, 'clone', '--quiet', '--depth=1', '--branch=feature', `file://${origin}`, clone)
  inEnvironment(t, { INIT_CWD: clone })
  await t.rejects(findTargets(['main'], {}), {
    code: 'unknown-ref', remedy: /git fetch --depth=1 origin main:refs\/remotes\/origin\/main$/
  })
  await t.rejects(findTargets(['origin/main'], {}), {
    code: 'unknown-ref', remedy: /git fetch --depth=1 origin main:refs\/remotes\/origin\/main$/
  })
  for (const name of ['HEAD^1', 'HEAD~1', '@{-9}']) {
    await t.rejects(findTargets([name], {}),
      { code: 'unknown-ref', remedy: /git fetch --deepen=1 origin \(in GitHub Actions: fetch-depth: 2\)/ }, name)
  }
  await git(clone, 'fetch', '--quiet', '--deepen=1', 'origin')
  t.match(await findTargets(['HEAD^1'], {}), { base: { ref: 'HEAD^1' } })
  await git(clone, 'fetch', '--quiet', '--depth=1', 'origin', 'main:refs/remotes/origin/main')
  t.match(await findTargets(['main'], {}), { base: { ref: 'main' } }, 'a branch of origin needs no prefix')
  await t.rejects(findTargets(['main...HEAD'], {}), { code: 'no-merge-base', remedy: /git fetch --unshallow origin$/ })
})

t.test('names the ref that is nearest to an unknown one', async t => {
  inEnvironment(t, { INIT_CWD: await makeRepository(t) })
  await t.rejects(findTargets(['mian'], {}), { code: 'unknown-ref', message: /Did you mean "main"\?/ })
})

t.test('words cannot be options of git', async t => {
  const folder = await makeRepository(t)
  const file = join(t.testdir({}), 'written')
  const touched = [folder, process.cwd()].map(dir => join(dir, 'x'))
  inEnvironment(t, { INIT_CWD: folder })
  for (const word of [`--output=${file}`, '-h', '--exec=touch x', 'main\nHEAD', '$(touch x)', '--', '@{-9}', ':/']) {
    await t.rejects(findTargets([word], {}), { code: 'unknown-ref' }, word)
    t.notOk([file, ...touched].some(path => existsSync(path)), word)
  }
  t.equal(await findCommit(folder, '--all'), null)
})

t.test('finds an app in a folder of its repository, and rejects one outside', async t => {
  const folder = await makeRepository(t)
  mkdirSync(join(folder, 'packages/api'), { recursive: true })
  inEnvironment(t, { INIT_CWD: folder })
  t.match(await findTargets(['main'], { cwd: 'packages/api' }),
    { base: { inside: 'packages/api' }, head: { inside: 'packages/api' } })
  await t.rejects(findTargets(['main'], { cwd: '../other' }), { code: 'bad-option', message: /--cwd .* outside/ })
  mkdirSync(join(folder, '..x'))
  t.match(await findTargets(['main'], { cwd: '..x' }), { head: { inside: '..x' } })
  inEnvironment(t, { INIT_CWD: join(folder, 'packages/api') })
  t.match(await findTargets(['main'], {}), { base: { inside: 'packages/api' }, head: { top: folder } })
})

t.test('compares two folders without a repository', async t => {
  const folder = t.testdir({ before: {}, after: {} })
  // The folder of the test is in the repository of hopbench.
  inEnvironment(t, { INIT_CWD: folder, GIT_CEILING_DIRECTORIES: dirname(folder) })
  t.match(await findTargets(['./before', './after'], {}), {
    repository: null, base: { top: join(folder, 'before'), commit: null }, head: { top: join(folder, 'after') }
  })
  await t.rejects(findTargets(['main', './after'], {}), { code: 'no-repository' })
})

t.test('prints the remedy of git for a repository of another account', async t => {
  const folder = await makeRepository(t)
  inEnvironment(t, { INIT_CWD: folder, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' })
  await t.rejects(findTargets(['main'], {}), {
    code: 'no-repository',
    details: { output: /git config --global --add safe\.directory/ },
    remedy: /^Do as git prints above, or /
  })
})

t.test('variables of a git hook name no other repository', async t => {
  const [folder, other] = [await makeRepository(t), await makeRepository(t, { files: { 'other.js': '' } })]
  const hash = await git(folder, 'rev-parse', 'main')
  inEnvironment(t, {
    INIT_CWD: folder,
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, '.git/index'),
    GIT_OBJECT_DIRECTORY: join(other, '.git/objects')
  })
  t.match(await findTargets(['main'], {}), { base: { commit: hash }, head: { top: folder }, repository: folder })
  const dir = join(t.testdir({}), 'base')
  const remove = await checkOut(folder, hash, dir)
  t.equal(existsSync(join(dir, 'other.js')), false)
  remove()
})

t.test('a checkout leaves nothing in the repository, also when the process ends early', async t => {
  const folder = await makeRepository(t)
  const hash = await git(folder, 'rev-parse', 'main')
  const [dir, killed] = ['base', 'killed'].map(name => join(t.testdirName, name))
  t.testdir({})
  const remove = await checkOut(folder, hash, dir)
  t.match(readFileSync(join(dir, 'app.js'), 'utf8'), /mini-express/)
  t.strictSame(readdirSync(join(folder, '.git/worktrees')), ['base'])
  remove()
  t.equal(existsSync(dir), false)
  t.strictSame(readdirSync(join(folder, '.git/worktrees')), [])
  const module = new URL('../../../bench/features/diff/git.js', import.meta.url).href
  const script = `import { checkOut } from ${JSON.stringify(module)}
    await checkOut(${JSON.stringify(folder)}, '${hash}', ${JSON.stringify(killed)})
    process.exit(5)`
  const { exit, stderr } = await run([process.execPath, '--input-type=module', '--eval', script])
  t.equal(exit, 5, stderr)
  t.equal(existsSync(killed), false)
  t.strictSame(readdirSync(join(folder, '.git/worktrees')), [])
})

t.test('an end while git checks out leaves nothing, and a locked checkout of a person is kept', async t => {
  const folder = await makeRepository(t)
  const hash = await git(folder, 'rev-parse', 'main')
  const dir = t.testdir({ bin: {} })
  const mine = join(dir, 'mine')
  await git(folder, 'worktree', 'add', '--quiet', '--detach', '--lock', mine, hash)
  // A git that ends after the note of the checkout, whose lock it leaves.
  const [real, target] = [onPath('git', process.env), join(dir, 'base')]
  program(join(dir, 'bin'), 'git', `case "$*" in *worktree*)
    '${real}' "$@"; echo initializing > '${folder}/.git/worktrees/base/locked'; rm '${target}/.git'; kill -9 $$ ;; esac
    exec '${real}' "$@"`)
  const module = new URL('../../../bench/features/diff/git.js', import.meta.url).href
  const script = `import { checkOut } from ${JSON.stringify(module)}
    await checkOut(${JSON.stringify(folder)}, '${hash}', ${JSON.stringify(target)}).catch(() => process.exit(5))`
  const { exit, stderr } = await run([process.execPath, '--input-type=module', '--eval', script],
    { env: { PATH: `${join(dir, 'bin')}:${process.env.PATH}` } })
  t.equal(exit, 5, stderr)
  t.equal(existsSync(target), false)
  t.strictSame(readdirSync(join(folder, '.git/worktrees')), ['mine'])
})

t.test('a checkout removes what a killed hopbench left in the repository, and nothing else', async t => {
  const folder = await makeRepository(t)
  const hash = await git(folder, 'rev-parse', 'main')
  const dir = t.testdir({ temp: {} })
  inEnvironment(t, { TMPDIR: join(dir, 'temp') })
  /** @type {[string, string | null][]} folders with their lock */
  const left = [['temp/hopbench-a/base', null], ['temp/hopbench-b/head', 'initializing'],
    ['temp/hopbench-c/base', 'on a disk that is not here'], ['hopbench-d/head', null], ['temp/other/mine', null]]
  for (const [path, lock] of left) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    await git(folder, 'worktree', 'add', '--quiet', '--detach', join(dir, path), hash)
    // git numbers notes of equal names, so that the newest note has this path.
    const note = String(readdirSync(join(folder, '.git/worktrees')).find(name =>
      readFileSync(join(folder, '.git/worktrees', name, 'gitdir'), 'utf8').trim() === join(dir, path, '.git')))
    if (lock !== null) writeFileSync(join(folder, '.git/worktrees', note, 'locked'), lock)
    rmSync(dirname(join(dir, path)), { recursive: true })
  }
  const remove = await checkOut(folder, hash, join(dir, 'new'))
  const kept = readdirSync(join(folder, '.git/worktrees')).map(name =>
    readFileSync(join(folder, '.git/worktrees', name, 'gitdir'), 'utf8').trim().slice(dir.length + 1))
  t.strictSame(kept.sort(), ['hopbench-d/head/.git', 'new/.git', 'temp/hopbench-c/base/.git', 'temp/other/mine/.git'])
  remove()
})
