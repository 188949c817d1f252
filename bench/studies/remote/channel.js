/** Exchanges requests and responses with another machine over the pipes of ssh: JSON-RPC 2.0 in both directions. Errors
 * keep their code. A machine that is silent, late, or sends an invalid message is lost, which rejects all pending
 * requests to it. */
import { Duplex, pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { getErrorMessage, HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { framesOnly } from './frames.js'
import { findMessageFault, getTimeout, MESSAGES } from './messages.js'
import { asLine, cleaned, packError, unpackError } from './received.js'

/** @import { Readable, Writable } from 'node:stream' */
/** @import { Message } from './messages.js' */

/** Interval of the heartbeat that both sides send. */
const BEAT_SECONDS = 2
/** Silence after which a machine is lost. It is ten beats, because a busy machine sends late. */
const SILENCE_SECONDS = 20
/** JSON-RPC error code for all errors. The specification reserves -32099 to -32000 for implementations. */
const FAILED = -32000

export class Channel {
  #connection
  #messages
  #heardAt = performance.now()
  /** @type {HopbenchError | null} */
  #lost = null
  /** @type {(reason: HopbenchError) => void} */
  #resolveLost = () => {}
  /** Resolves with the reason when the other side is lost. @type {Promise<HopbenchError>} */
  lost = new Promise(resolve => { this.#resolveLost = resolve })

  /**
   * @param {string} name of the other side, for messages
   * @param {{ input: Readable, output: Writable }} pipes
   * @param {Record<string, Message>} [messages] permitted messages; another set is for tests
   */
  constructor (name, { input, output }, messages = MESSAGES) {
    this.name = name
    this.#messages = messages
    const frames = pipeline(input, Duplex.from(framesOnly), error => this.#handlePipeError(error))
    this.#connection = createMessageConnection(new StreamMessageReader(frames), new StreamMessageWriter(output))
    this.onNotification('beat', () => { this.#heardAt = performance.now() })
    this.#connection.onClose(() => this.#lose('it closed the connection'))
    this.#connection.onError(([error]) => this.#handlePipeError(error))
    output.on('error', error => this.#handlePipeError(error))
    this.beating = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENCE_SECONDS * 1000) {
        this.#lose(`it was silent for ${SILENCE_SECONDS} s`)
      } else this.notify('beat')
    }, BEAT_SECONDS * 1000)
  }

  /** Starts reading messages. To be called when all handlers are registered. */
  listen () {
    this.#connection.listen()
  }

  /**
   * Registers a handler for requests.
   *
   * @param {string} method
   * @param {(params: any) => any} handler may be async
   */
  serve (method, handler) {
    this.#connection.onRequest(method, async params => {
      this.#heardAt = performance.now()
      try {
        return await handler(this.#check(method, 'params', params)) ?? null
      } catch (error) {
        throw new ResponseError(FAILED, getErrorMessage(error), packError(error))
      }
    })
  }

  /**
   * Sends a request.
   *
   * @param {string} method
   * @param {unknown} [params]
   * @param {number} [seconds] timeout, because a machine that sends beats can still hang
   * @returns {Promise<any>} as described in MESSAGES
   * @throws {HopbenchError} host-lost, host-answer, and the errors of the other side
   */
  async request (method, params = null, seconds = getTimeout(method)) {
    if (this.#lost) throw this.#lost
    const timer = setTimeout(() => this.#lose(`no response to "${method}" within ${seconds} s`), seconds * 1000)
    try {
      const response = await this.#connection.sendRequest(method, params)
      if (this.#lost) throw this.#lost
      return this.#check(method, 'response', response)
    } catch (error) {
      if (this.#lost) throw this.#lost
      const data = error instanceof ResponseError ? error.data : undefined
      const message = asLine(getErrorMessage(error))
      if (!data) throw this.#lose(message)
      throw unpackError(data) ?? new Error(`${this.name}: ${message}`)
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Registers a handler for notifications.
   *
   * @param {string} method
   * @param {(params: any) => void} handler
   */
  onNotification (method, handler) {
    this.#connection.onNotification(method, params => handler(this.#check(method, 'params', params ?? null)))
  }

  /**
   * Sends a notification, which has no response.
   *
   * @param {string} method
   * @param {unknown} [params]
   */
  notify (method, params = null) {
    if (!this.#lost) this.#connection.sendNotification(method, params).catch(() => {})
  }

  isLost () {
    return this.#lost !== null
  }

  /** Gives up a machine that sent an invalid message. @param {string} why */
  refuse (why) {
    return this.#lose(asLine(why), 'host-answer')
  }

  close () {
    this.#lose('it was closed')
  }

  /**
   * Cleans and validates a received value.
   *
   * @param {string} method
   * @param {'params' | 'response'} part
   * @param {unknown} value
   */
  #check (method, part, value) {
    const refuse = (/** @type {string | null} */ fault) =>
      this.refuse(`${part === 'response' ? 'the response to' : 'the message'} "${method}": ${fault}`)
    const clean = attempt(() => cleaned(value), error => { throw refuse(getErrorMessage(error)) })
    const fault = findMessageFault(this.#messages[method], part, clean)
    if (fault === null) return clean
    throw refuse(fault)
  }

  /** Loses the other side after an error of the pipe, which has a code, or after an invalid message.
   * @param {Error | null | undefined} error undefined: the pipe ended */
  #handlePipeError (error) {
    if (!error) this.#lose('it closed the connection')
    else if ('code' in error) this.#lose(error.message)
    else this.refuse(error.message)
  }

  /**
   * @param {string} why
   * @param {'host-lost' | 'host-answer'} [code]
   * @returns {HopbenchError} the first reason
   */
  #lose (why, code = 'host-lost') {
    if (this.#lost) return this.#lost
    this.#lost = new HopbenchError(code, { host: this.name, why })
    clearInterval(this.beating)
    this.#connection.dispose()
    this.#resolveLost(this.#lost)
    return this.#lost
  }
}

/**
 * Waits for a promise, but not longer than a limit.
 *
 * @param {Promise<unknown>} promise
 * @param {number} seconds
 * @throws the rejection of the promise within the limit
 */
export async function waitAtMost (promise, seconds) {
  const settled = new AbortController()
  try {
    await Promise.race([promise, sleep(seconds * 1000, null, { signal: settled.signal }).catch(() => {})])
  } finally {
    settled.abort()
  }
}
