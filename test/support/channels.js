/** A machine of a run and the leader, joined in one process. */
import { PassThrough } from 'node:stream'
import { Channel } from '../../bench/studies/remote/channel.js'
import { MESSAGES } from '../../bench/studies/remote/messages.js'

/** @import { Test } from 'tap' */

/** What may be said, and what only tests say. */
const TALK = { ...MESSAGES, add: {}, fail: {}, crash: {}, never: {}, text: {}, big: { answer: { maxLength: 3 } } }

/** Two channels joined to each other. @param {Test} t */
export function channels (t) {
  const [there, back] = [new PassThrough(), new PassThrough()]
  const pair = [new Channel('one', { input: back, output: there }, TALK),
    new Channel('other', { input: there, output: back }, TALK)]
  t.teardown(() => pair.forEach(channel => channel.close()))
  return pair
}
