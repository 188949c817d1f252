/** The connections of an open loop. */
import { EventEmitter } from 'node:events'
import t from '../../../support/tap.js'
import { Connections } from '../../../../bench/load/generators/paced/connection-pool.js'

t.test('sends no waiting request after it is closed', async t => {
  /** @type {Buffer[]} */
  const written = []
  let failed = 0
  const connect = () => {
    const socket = Object.assign(new EventEmitter(), {
      setNoDelay () {}, write: (/** @type {Buffer} */ bytes) => written.push(bytes), destroy: () => socket.emit('close')
    })
    return /** @type {any} */ (socket)
  }
  const connections = new Connections({
    connect, most: 1, requests: [Buffer.from('x')], expected: null, fresh: false, answered () {}, failed () { failed++ }
  })
  for (let due = 0; due < 3; due++) connections.send({ due, index: 0 })
  t.equal(connections.unanswered().length, 3)
  connections.close()
  t.equal(written.length, 1)
  t.equal(connections.opened, 1)
  t.equal(failed, 1)
  t.same(connections.unanswered(), [])
})
