/** Refs and folders that hopbench diff cannot compare. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onPath } from '../../bench/machine/setup/path.js'
import { prepareSides } from '../../bench/features/diff/sides.js'
import { git, makeRepository } from '../support/repository.js'
import { inEnvironment, program } from '../support/provoke.js'

/** @import { Test } from 'tap' */
/** @import { Provocations } from '../support/provoke.js' */

/**
 * Prepares a comparison in a folder, and removes its checkouts after the test.
 *
 * @param {Test} t
 * @param {string} folder
 * @param {string[]} words
 * @param {Parameters<typeof prepareSides>[1]} [options]
 */
async function prepareIn (t, folder, words, options = {}) {
  inEnvironment(t, { INIT_CWD: folder })
  const { close } = await prepareSides(words, options, () => {})
  t.teardown(close)
}

/** @type {Provocations} */
export default {
  'no-repository': t => {
    // The folder of the test may be in the repository of hopbench.
    inEnvironment(t, { GIT_CEILING_DIRECTORIES: dirname(t.testdir({})) })
    return prepareIn(t, t.testdirName, ['main'])
  },
  'unknown-ref': async t => prepareIn(t, await makeRepository(t), ['mian']),
  'no-merge-base': async t => {
    const folder = await makeRepository(t, { unrelated: true })
    return prepareIn(t, folder, ['main...HEAD'])
  },
  'git-failed': async t => {
    const folder = await makeRepository(t)
    const bin = t.testdir({})
    // A git that cannot check out.
    const script = `case "$*" in *worktree*) echo broken >&2; exit 1 ;; esac; exec ${onPath('git', process.env)} "$@"`
    program(bin, 'git', script)
    inEnvironment(t, { PATH: `${bin}:${process.env.PATH}` })
    return prepareIn(t, folder, ['main'])
  },
  'linked-checkout': async t => {
    const folder = await makeRepository(t)
    symlinkSync(t.testdir({}), join(folder, 'linked'))
    await git(folder, 'add', 'linked')
    await git(folder, 'commit', '--quiet', '--message=A link')
    mkdirSync(join(folder, 'node_modules'))
    return prepareIn(t, folder, ['feature'])
  },
  'no-manager': async t => {
    const folder = await makeRepository(t, { files: { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" } })
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'pnpm-lock.yaml'), "lockfileVersion: '9.0' # changed\n")
    const bin = t.testdir({})
    for (const name of ['git', 'node', 'sh']) symlinkSync(String(onPath(name, process.env)), join(bin, name))
    inEnvironment(t, { PATH: bin })
    return prepareIn(t, folder, ['main'])
  },
  'no-packages': async t => prepareIn(t, await makeRepository(t), ['main']),
  'side-failed': async t => {
    const folder = await makeRepository(t)
    mkdirSync(join(folder, 'node_modules'))
    return prepareIn(t, folder, ['main'], { install: 'echo no network >&2; exit 7' })
  }
}
