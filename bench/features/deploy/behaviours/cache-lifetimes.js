import { ask } from '../configs/client.js'

/** Cache-Control of responses that permit to be stored, and of those that do not. */
export const PERMITTING = ['public', 'max-age=60', 's-maxage=60', 'public, max-age=60']
export const SILENT = ['', 'max-age=0', 'no-cache', 'must-revalidate', 'private', 'private, max-age=60', 'no-store']

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the cache stores a response only if it has public or a lifetime above 0, and sets no cookie',
  options: { cache: '30s' },
  async run (subject) {
    /** Returns whether two requests got one response of the app. */
    const isStored = async (/** @type {string} */ options) => {
      const [first, second] = [await ask(subject, `/seen/${options}`), await ask(subject, `/seen/${options}`)]
      if (first.status !== 200) throw new Error(`status ${first.status}`)
      return first.body === second.body
    }
    for (const policy of [...PERMITTING, ...SILENT]) {
      const options = `cc=${encodeURIComponent(policy)}`
      const isPermitted = PERMITTING.includes(policy)
      if (await isStored(options) !== isPermitted) {
        return `a response with Cache-Control: ${policy || 'nothing'} was ${isPermitted ? 'not stored' : 'stored'}`
      }
      if (await isStored(`${options}&cookie`)) return `a response with ${policy} that sets a cookie was stored`
    }
    return null
  }
}
