/** Tests the questions of hopbench advise in a terminal. */
import t from '../../support/tap.js'
import { withReplies } from '../../../bench/features/advise/command.js'

/** @param {string[]} replies */
const terminal = replies => ({
  isTerminal: true,
  check () {},
  async ask () {
    const reply = replies.shift()
    if (reply === undefined) throw new Error('asked too often')
    return reply
  }
})

t.test('asks for the load and the provider', async t => {
  t.same(await withReplies({}, terminal(['800', '50ms', 'fly'])), { rps: 800, p99: 0.05, provider: 'fly' })
  t.same(await withReplies({ provider: 'render' }, terminal(['800', ''])), { rps: 800, p99: 0.1, provider: 'render' })
  t.same(await withReplies({ target: 'fly' }, terminal(['800', ''])), { rps: 800, p99: 0.1, target: 'fly' })
  t.same(await withReplies({}, terminal(['800', '', ''])), { rps: 800, p99: 0.1 })
})

t.test('asks for the half of the load that is not typed', async t => {
  t.same(await withReplies({ rps: 800 }, terminal(['50ms'])), { rps: 800, p99: 0.05 })
  t.same(await withReplies({ p99: 0.05 }, terminal(['800'])), { rps: 800, p99: 0.05 })
})

t.test('counts no instances without a reply, and asks for the platform of the kit', async t => {
  t.match(await withReplies({}, terminal(['', 'fly'])), { rps: undefined, p99: undefined, provider: 'fly' })
  t.match(await withReplies({ p99: 0.05 }, terminal([''])), { rps: undefined, p99: undefined })
})

t.test('refuses a reply that is no number or time', async t => {
  await t.rejects(withReplies({}, terminal(['many'])), { code: 'bad-option' })
  await t.rejects(withReplies({}, terminal(['800', 'soon'])), { code: 'bad-option' })
})

t.test('refuses misused options before a question', async t => {
  const check = () => { throw new Error('misused') }
  await t.rejects(withReplies({}, { ...terminal([]), check }), { message: 'misused' })
})

t.test('asks nothing with --yes, with --json, for a known load, and without a terminal', async t => {
  for (const options of [{ yes: true }, { json: true }, { rps: 1, p99: 1 }, { resume: /** @type {const} */ (true) }]) {
    t.same(await withReplies(options, terminal([])), options)
  }
  t.same(await withReplies({}, { ...terminal([]), isTerminal: false }), {})
})
