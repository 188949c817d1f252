/** Many generated projects for test/features/deploy/kit/context.test.js, some of them built by a real Docker engine. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from '../../../support/tap.js'
import {
  findWholeContext, ofProjects, rejectOther, testContexts, toIgnoreFile
} from '../../../support/context-property.js'
import { filesInContext } from '../../../support/docker-context.js'
import { openEngine } from '../../../support/docker-engine.js'
import { skipWithout } from '../../../support/needs.js'
import { tempFolder } from '../../../support/temp.js'

const skip = skipWithout('docker')
const timeout = 7_200_000

t.test('generated projects keep their secrets out of the context', { timeout }, t => testContexts(t, 10_000))

t.test('an engine builds the context that the property computes', { skip, timeout }, async t => {
  const engine = await openEngine(t)
  const root = tempFolder(t)
  await testContexts(t, 100, ofProjects(root, async ({ later }, dir) => {
    const ignored = toIgnoreFile(await findWholeContext(dir))
    const added = {
      'deploy/start.sh': '',
      'deploy/Dockerfile': 'FROM scratch\nCOPY . /context/\n',
      'deploy/Dockerfile.dockerignore': ignored,
      // Names of later files may be those of folders, or below files.
      ...Object.fromEntries(later.map(path => [join('later', path), '']))
    }
    for (const [path, text] of Object.entries(added)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
    await engine.build(dir, 'context', join(dir, 'deploy/Dockerfile'))
    const container = await engine.docker('create', 'context', 'none')
    const built = join(root, 'built')
    await engine.docker('cp', `${container}:/context`, built)
    await engine.docker('rm', container)
    const found = listFiles(built)
    rmSync(built, { recursive: true })
    rejectOther(found, filesInContext(listFiles(dir), ignored))
  }))
})

/** @param {string} folder */
const listFiles = folder => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile()).map(entry => relative(folder, join(entry.parentPath, entry.name)))
