/**
 * Every error of the catalog is met: brought about by what brings it about, and told so that a person knows what to
 * do.
 */
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { explain, HopbenchError, topics } from '../../bench/errors.js'

/** @import { Provocations } from '../support/provoke.js' */

/** What needs more than any machine has: control groups that may be written, networks of one's own, another account. */
const DEMANDING = ['root-unreadable', 'plan-too-small', 'disk-full', 'too-few-files', 'ssh-host-key', 'ssh-denied',
  'ssh-failed', 'host-unfit']
const bench = fileURLToPath(new URL('../../bench/', import.meta.url))

for (const [topic, entries] of Object.entries(topics)) {
  /** @type {{ default: Provocations }} */
  const { default: provocations } = await import(`../provocations/${topic}.js`)

  t.test(`${topic}: every error of the catalog is brought about, and no other`, async t => {
    t.strictSame(Object.keys(provocations).sort(), Object.keys(entries).sort(),
      `test/provocations/${topic}.js and bench/errors/${topic}.js have the same codes`)
  })

  for (const [code, provocation] of Object.entries(provocations)) {
    const { skip, provoke } = typeof provocation === 'function' ? { skip: false, provoke: provocation } : provocation
    if (typeof provocation !== 'function') t.ok(DEMANDING.includes(code), `${code} may be too much for a machine`)
    t.test(`${topic}: ${code}`, { skip }, async t => {
      const error = await thrownBy(() => provoke(t))
      if (!(error instanceof HopbenchError)) return t.fail('it is an error of the catalog', { found: error })
      t.equal(error.code, code, 'the code that was meant')
      t.ok(makerOf(error).startsWith(bench), `made by the project, not by a test: ${makerOf(error)}`)
      t.equal(error.exit, /** @type {Record<string, { exit: number }>} */ (entries)[code]?.exit,
        'the exit code of the catalog')
      t.match(error.message, /^\S[^\n]*[^.\s][.?]$/, 'one sentence says what failed')
      t.match(error.remedy, /^\S[^\n]*[^.\s]\.?$/, 'another what to try')
      for (const text of [error.message, error.remedy]) {
        t.notMatch(text, /undefined|\bnull\b|\bNaN\b|\[object|Infinity| {2}/, 'no detail is missing')
      }
      const { text, exit, json } = explain(error)
      t.ok(text.startsWith(`${error.message}\n`) && text.endsWith(`\nTry: ${error.remedy} [${code}]`), text)
      t.equal(exit, error.exit, 'the exit code of the command')
      t.match(json, { error: { code, try: error.remedy } }, 'the same for a program')
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

/** The file whose code made an error. @param {Error} error */
function makerOf ({ stack = '' }) {
  const files = [...stack.matchAll(/^ +at .*?(?:file:\/\/)?(\/[^():]+):\d+:\d+\)?$/gm)].map(([, file]) =>
    decodeURI(file)
  )
  return files.find(file => file !== `${bench}errors.js`) ?? ''
}
