/**
 * Runs the test files that HOPBENCH_TEST_FILES lists, one after the other in one process, each as a subtest with its
 * name. Loading tap and the modules of the suite takes longer than most files. Not as arguments, which tap has in the
 * names of its temporary folders.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { enter } from './tap.js'

const root = t.test.bind(t)
for (const file of String(process.env.HOPBENCH_TEST_FILES).split(':')) {
  await root(file, async test => {
    enter(test)
    await import(pathToFileURL(resolve(file)).href)
  })
}
