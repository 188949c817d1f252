/** Preparation of the two states that `hopbench diff` compares. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { prepareSides } from '../../../bench/features/diff/sides.js'
import { inEnvironment } from '../../support/provoke.js'
import { makeRepository } from '../../support/repository.js'

t.test('a checkout without its submodules is noted, with the command that brings them', async t => {
  const folder = await makeRepository(t, { files: { '.gitmodules': '' } })
  mkdirSync(join(folder, 'node_modules'))
  inEnvironment(t, { INIT_CWD: folder, HOPBENCH_DIFF: '' })
  /** @type {string[]} */
  const notes = []
  const { close } = await prepareSides(['main'], { install: 'true' }, printProgress => { notes.push(printProgress) })
  close()
  t.strictSame(notes.filter(printProgress => printProgress.includes('submodule')),
    ['base is checked out without its submodules. If ' +
    "the app needs them: --install 'git submodule update --init --recursive && npm ci'"])
})

t.test('--install is rejected where both states are folders of the user', async t => {
  const folder = await makeRepository(t)
  inEnvironment(t, { INIT_CWD: folder })
  for (const words of [['.'], ['.', '.']]) {
    await t.rejects(prepareSides(words, { install: 'npm ci' }, () => {}),
      { code: 'bad-option', message: /^--install cannot be "npm ci"/ })
  }
})
