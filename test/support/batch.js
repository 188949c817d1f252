/**
 * `node test/support/batch.js FILE…`: runs test files one after the other in one process, each as a subtest that has
 * its name. Loading tap and the modules of the suite takes longer than most files.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { enter } from './tap.js'

const root = t.test.bind(t)
for (const file of process.argv.slice(2)) {
  await root(file, async test => {
    enter(test)
    await import(pathToFileURL(resolve(file)).href)
  })
}
