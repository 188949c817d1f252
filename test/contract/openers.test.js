/** Lint rule by which only few files of bench/ open others without a limit. */
import { join, resolve } from 'node:path'
import { ESLint } from 'eslint'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plan/plugins.js'

const linter = new ESLint({ cwd: resolve(PROJECT) })
/** Ways to import a function that opens a file. */
const WAYS = [
  "import { readFileSync } from 'node:fs'\nreadFileSync('x')\n",
  "import { openSync } from 'node:fs'\nopenSync('x')\n",
  "import { createReadStream } from 'node:fs'\ncreateReadStream('x')\n",
  "import { promises } from 'node:fs'\npromises.open('x')\n",
  "import { readFile } from 'node:fs/promises'\nreadFile('x')\n",
  "import { open } from 'node:fs/promises'\nopen('x')\n",
  "import fs from 'node:fs'\nfs.openSync('x')\n",
  "import * as fs from 'node:fs'\nfs.openSync('x')\n"
]

/**
 * Returns whether the rule rejects a file.
 * @param {string} file relative to the project
 * @param {string} code
 */
async function isRejected (file, code) {
  const [{ messages }] = await linter.lintText(code, { filePath: join(resolve(PROJECT), file) })
  return messages.some(({ ruleId }) => ruleId === 'no-restricted-imports')
}

t.test('rejects every way to open a file in a request, a store or a feature', async t => {
  for (const file of ['bench/request/new.js', 'bench/store/new.js', 'bench/features/run/new.js']) {
    for (const code of WAYS) t.equal(await isRejected(file, code), true, `${file}: ${code}`)
  }
})

t.test('accepts the opener itself, and functions that open no file', async t => {
  t.equal(await isRejected('bench/machine/files/plain-files.js', WAYS[1]), false)
  t.equal(await isRejected('bench/request/new.js', "import { statSync } from 'node:fs'\nstatSync('x')\n"), false)
})
