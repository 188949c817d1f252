/**
 * Triggers every error of the catalog under its real condition, and checks its message and its suggestion.
 */
import { fileURLToPath } from 'node:url'
import t from './support/tap.js'
import { explain, HopbenchError, topics } from '../bench/errors.js'

/** @import { Provocations } from './support/provoke.js' */

/** Errors that not every machine can trigger: they need control groups, private networks or another account. */
const DEMANDING = ['root-unreadable', 'plan-too-small', 'disk-full', 'too-few-files', 'ssh-host-key', 'ssh-denied',
  'ssh-failed', 'host-unfit']
const bench = fileURLToPath(new URL('../bench/', import.meta.url))

for (const [topic, entries] of Object.entries(topics)) {
  /** @type {{ default: Provocations }} */
  const { default: provocations } = await import(`./provocations/${topic}.js`)

  t.test(`${topic}: the provocations have exactly the codes of the catalog`, async t => {
    t.strictSame(Object.keys(provocations).sort(), Object.keys(entries).sort(),
      `test/provocations/${topic}.js and the catalog have the same codes`)
  })

  for (const [code, provocation] of Object.entries(provocations)) {
    const { skip, provoke } = typeof provocation === 'function' ? { skip: false, provoke: provocation } : provocation
    if (typeof provocation !== 'function') t.ok(DEMANDING.includes(code), `${code} may be impossible on some machines`)
    t.test(`${topic}: ${code}`, { skip }, async t => {
      const error = await thrownBy(() => provoke(t))
      if (!(error instanceof HopbenchError)) return t.fail('an error of the catalog', { found: error })
      t.equal(error.code, code, 'the expected code')
      t.ok(findOrigin(error).startsWith(bench), `constructed by the project, not by a test: ${findOrigin(error)}`)
      t.equal(error.exit, /** @type {Record<string, { exit?: number }>} */ (entries)[code].exit ?? 1,
        'the exit code of the catalog')
      t.match(error.message, /^\S[^\n]*[^.\s][.?]$/, 'the message is one sentence')
      t.match(error.remedy, /^\S[^\n]*[^.\s]\.?$/, 'the suggestion is one line')
      for (const text of [error.message, error.remedy]) {
        t.notMatch(text, /undefined|\bnull\b|\bNaN\b|\[object|Infinity| {2}/, 'no detail is missing')
      }
      const { text, exit, json } = explain(error)
      t.ok(text.startsWith(`${error.message}\n`) && text.endsWith(`\nTry: ${error.remedy} [${code}]`), text)
      t.equal(exit, error.exit, 'the exit code of the command')
      t.match(json, { error: { code, try: error.remedy } }, 'the same as JSON')
      t.ok(json.error.message.startsWith(error.message))
    })
  }
}

/**
 * @param {() => unknown} action
 * @returns {Promise<unknown>} null: nothing was thrown
 */
async function thrownBy (action) {
  try {
    await action()
    return null
  } catch (error) {
    return error
  }
}

/**
 * Finds the file that constructed an error.
 * @param {Error} error
 */
function findOrigin ({ stack = '' }) {
  const files = [...stack.matchAll(/^ +at .*?(?:file:\/\/)?(\/[^():]+):\d+:\d+\)?$/gm)].map(([, file]) =>
    decodeURI(file)
  )
  return files.find(file => file !== `${bench}errors.js`) ?? ''
}
