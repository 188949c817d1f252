/** Two connected channels of a run over several machines, in one process. */
import { PassThrough } from 'node:stream'
import { Channel } from '../../bench/studies/remote/channel.js'
import { MESSAGES } from '../../bench/studies/remote/messages.js'

/** @import { Test } from 'tap' */

/** All messages, and those that only tests send. */
const TEST_MESSAGES = {
  ...MESSAGES, add: {}, fail: {}, crash: {}, never: {}, text: {}, big: { response: { maxLength: 3 } }
}

/**
 * Makes two channels that are connected to each other.
 * @param {Test} t
 */
export function channels (t) {
  const [there, back] = [new PassThrough(), new PassThrough()]
  const pair = [new Channel('one', { input: back, output: there }, TEST_MESSAGES),
    new Channel('other', { input: there, output: back }, TEST_MESSAGES)]
  t.teardown(() => pair.forEach(channel => channel.close()))
  return pair
}
