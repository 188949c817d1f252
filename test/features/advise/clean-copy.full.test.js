/** Tests that the steps of a kit's Dockerfile are carried out with real packages in what its image would get. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { makeCleanCopy } from '../../../bench/features/advise/clean-copy.js'
import { makeKitIn } from '../../support/made-kit.js'
import { OUTSIDE_NPM } from '../../support/packed.js'

/** @import { Test } from 'tap' */

const FILES = {
  'package.json': JSON.stringify({
    name: 'shop',
    scripts: { build: 'node build.js', start: 'node dist/main.js' },
    dependencies: { kept: 'file:./kept' },
    devDependencies: { removed: 'file:./removed' }
  }),
  kept: { 'package.json': '{"name":"kept","version":"1.0.0"}', 'index.js': '' },
  removed: { 'package.json': '{"name":"removed","version":"1.0.0"}', 'index.js': '' },
  'build.js': "require('removed'); require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/main.js', 'new')",
  '.env': 'KEY=a\n'
}

/**
 * Writes a kit of a project with packages, and makes its copy.
 * @param {Test} t
 * @param {{ build?: string, isInstalled: boolean, files?: typeof FILES }} options
 */
async function makeCopy (t, { build, isInstalled, files = FILES }) {
  const { project } = await makeKitIn(t, 'app', {
    files, arm: { app: ['npm start'], path: '/' }, ...build && { build }
  })
  if (isInstalled) {
    const { exit, stderr } = await run([...OUTSIDE_NPM, 'npm', 'install', '--install-links', '--offline', '--no-audit',
      '--no-fund', '--no-package-lock'], { cwd: project, timeoutSeconds: 120 })
    t.equal(exit, 0, stderr)
  }
  const folder = join(project, 'copy')
  const made = await makeCleanCopy(project, { kit: 'deploy', folder })
  return { ...made, has: (/** @type {string} */ file) => existsSync(join(folder, file)), folder, project }
}

t.test('a build has all packages, and what starts has those for production', async t => {
  for (const isInstalled of [true, false]) {
    const { isBuilt, fault, has, folder, project } = await makeCopy(t, { build: 'npm run build', isInstalled })
    t.strictSame([isBuilt, fault], [true, null])
    t.strictSame(['node_modules/kept', 'node_modules/removed', '.env', 'deploy/start.sh'].map(has),
      [true, false, false, true], `installed: ${isInstalled}`)
    t.equal(readFileSync(join(folder, 'dist/main.js'), 'utf8'), 'new')
    t.equal(existsSync(join(project, 'dist')), false, 'nothing is written into the project')
    t.equal(existsSync(join(project, 'node_modules/removed')), isInstalled, 'its packages are as before')
  }
})

t.test('a step that fails is named with its last line', async t => {
  const files = { ...FILES, 'build.js': "console.error('no compiler'); process.exit(3)" }
  const { fault } = await makeCopy(t, { build: 'npm run build', isInstalled: true, files })
  t.match(fault, /^"npm run build" ended with exit code 3: .*no compiler/)
})
