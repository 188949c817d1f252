/** `npm test` with a test file that fails once and passes when it is run again. */
import { execa } from 'execa'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from './tap.js'

const project = fileURLToPath(new URL('../..', import.meta.url))

const PASSES = 'console.log("TAP version 14\\nok 1 - passes\\n1..1")\n'
/** Fails unless the file `seen` exists beside it, and creates that file. */
const FAILS_ONCE = `
import { existsSync, writeFileSync } from 'node:fs'
const seen = new URL('seen', import.meta.url)
const ok = existsSync(seen)
writeFileSync(seen, '')
console.log(\`TAP version 14\\n\${ok ? 'ok' : 'not ok'} 1 - fails once\\n1..1\`)
process.exitCode = ok ? 0 : 1
`

t.test('npm run test:full fails and names a file that passed only when run again', async t => {
  const folder = t.testdir()
  const files = ['passes.test.js', 'fails-once.test.js'].map(name => join(folder, name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(files[0], PASSES)
  writeFileSync(files[1], FAILS_ONCE)
  const { exitCode, stdout } = await execa(
    process.execPath, ['bench/bootstrap.js', '--then', 'test/run.js', '--full', ...files],
    { cwd: project, reject: false, stdin: 'ignore' }
  )
  t.match(stdout, /^again, alone: .*fails-once\.test\.js$/m)
  const lines = stdout.split('\n').slice(-3)
  t.equal(lines[0], '1 file passed only when run again, alone:')
  t.match(lines[1], /^ {2}.*fails-once\.test\.js$/)
  t.equal(lines[2], '2 passed, 1 failed, 0 skipped')
  t.equal(exitCode, 1)
})
