/** Tests the questions of hopbench advise in a terminal. */
import t from 'tap'
import { withReplies } from '../../bench/commands/shared/advice-questions.js'

/** @param {string[]} replies */
const terminal = replies => ({ isTerminal: true, ask: async () => replies.shift() ?? '' })

t.test('asks for the load and the provider', async t => {
  t.same(await withReplies({}, terminal(['800', '50ms', 'fly'])), { rps: 800, p99: 0.05, provider: 'fly' })
  t.same(await withReplies({ provider: 'render' }, terminal(['800', ''])), { rps: 800, p99: 0.1, provider: 'render' })
  t.same(await withReplies({}, terminal(['800', '', ''])), { rps: 800, p99: 0.1 })
})

t.test('counts no instances without a reply', async t => {
  t.same(await withReplies({}, terminal([''])), {})
})

t.test('refuses a reply that is no number or time', async t => {
  await t.rejects(withReplies({}, terminal(['many', '', ''])), { code: 'bad-option' })
  await t.rejects(withReplies({}, terminal(['800', 'soon', ''])), { code: 'bad-option' })
})

t.test('asks nothing with --yes, with --json, for a known load, and without a terminal', async t => {
  const ask = async () => { throw new Error('asked') }
  for (const options of [{ yes: true }, { json: true }, { rps: 1, p99: 1 }, { resume: /** @type {const} */ (true) }]) {
    t.same(await withReplies(options, { isTerminal: true, ask }), options)
  }
  t.same(await withReplies({}, { isTerminal: false, ask }), {})
})
