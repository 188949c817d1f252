/** Questions and answers between this machine and another, over the pipes of an ssh: JSON-RPC 2.0 in both directions.
 * Errors keep their code. A machine that falls silent, does not answer in time or sends what cannot be is lost, and
 * everything that waits for it is rejected. */
import { pipeline } from 'node:stream'
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { HopbenchError } from '../../errors.js'
import { framesOnly } from './frames.js'
import { faultIn, MESSAGES, secondsFor } from './messages.js'
import { asLine, cleaned, packError, unpackError } from './received.js'

/** @import { Readable, Writable } from 'node:stream' @import { Message } from './messages.js' */

/** Each side says so often that it is there … */
const BEAT_SECONDS = 2
/** … and is given up after this: a machine that is busy is late, one that is gone says nothing. */
const SILENCE_SECONDS = 20
/** Of an error that is none of the catalog's. JSON-RPC leaves -32099 to -32000 to its users. */
const FAILED = -32000

export class Channel {
  #connection
  #messages
  #heardAt = performance.now()
  /** @type {HopbenchError | null} */
  #lost = null
  /** @type {(why: HopbenchError) => void} */
  #gaveUp = () => {}
  /** Resolves with the reason when the other side is lost. @type {Promise<HopbenchError>} */
  lost = new Promise(resolve => { this.#gaveUp = resolve })

  /** @param {string} name of the other side, for messages @param {{ input: Readable, output: Writable }} pipes
   * @param {Record<string, Message>} [messages] what may be said; another set is for tests */
  constructor (name, { input, output }, messages = MESSAGES) {
    this.name = name
    this.#messages = messages
    const frames = pipeline(input, framesOnly(), error => this.#broke(error))
    this.#connection = createMessageConnection(new StreamMessageReader(frames), new StreamMessageWriter(output))
    this.heed('beat', () => { this.#heardAt = performance.now() })
    this.#connection.onClose(() => this.#lose('it closed the connection'))
    this.#connection.onError(([error]) => this.#broke(error))
    output.on('error', error => this.#broke(error))
    this.beating = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENCE_SECONDS * 1000) {
        this.#lose(`nothing was heard of it for ${SILENCE_SECONDS} s`)
      } else this.tell('beat')
    }, BEAT_SECONDS * 1000)
  }

  /** Begins to listen; whatever is to be answered is served by now. */
  listen () {
    this.#connection.listen()
  }

  /** @param {string} method @param {(params: any) => any} answer may be async */
  serve (method, answer) {
    this.#connection.onRequest(method, async params => {
      this.#heardAt = performance.now()
      try {
        return await answer(this.#received(method, 'params', params)) ?? null
      } catch (error) {
        throw new ResponseError(FAILED, /** @type {Error} */ (error).message, packError(error))
      }
    })
  }

  /** @param {string} method @param {unknown} [params]
   * @param {number} [seconds] for the answer: a machine that says that it is there may still be stuck
   * @returns {Promise<any>} as the table of messages describes it
   * @throws {HopbenchError} what the other side threw; host-lost, host-answer */
  async ask (method, params = null, seconds = secondsFor(method)) {
    if (this.#lost) throw this.#lost
    const late = setTimeout(() => this.#lose(`it gave no answer to "${method}" within ${seconds} s`), seconds * 1000)
    try {
      const answer = await Promise.race([this.#connection.sendRequest(method, params), this.lost])
      if (this.#lost) throw this.#lost
      return this.#received(method, 'answer', answer)
    } catch (error) {
      if (error === this.#lost) throw error
      if (this.#lost) throw this.#lost
      const { data, message } = /** @type {{ data?: unknown, message: string }} */ (error)
      if (!data) throw this.#lose(asLine(message))
      throw unpackError(data) ?? new Error(`${this.name}: ${asLine(message)}`)
    } finally {
      clearTimeout(late)
    }
  }

  /** @param {string} what @param {(params: any) => void} heed */
  heed (what, heed) {
    this.#connection.onNotification(what, params => {
      try {
        heed(this.#received(what, 'params', params ?? null))
      } catch (error) {
        if (error !== this.#lost) throw error
      }
    })
  }

  /** @param {string} what @param {unknown} [params] */
  tell (what, params = null) {
    if (!this.#lost) this.#connection.sendNotification(what, params).catch(() => {})
  }

  isLost () {
    return this.#lost !== null
  }

  /** Gives up a machine that has sent what hopbench never sends. @param {string} why */
  refuse (why) {
    return this.#lose(asLine(why), 'host-answer')
  }

  close () {
    this.#lose('it was closed')
  }

  /** @param {string} method @param {'params' | 'answer'} part @param {unknown} value */
  #received (method, part, value) {
    let fault
    try {
      const clean = cleaned(value)
      fault = faultIn(this.#messages[method], part, clean)
      if (fault === null) return clean
    } catch (error) {
      fault = /** @type {Error} */ (error).message
    }
    throw this.refuse(`${part === 'answer' ? 'the answer to' : 'the message'} "${method}": ${fault}`)
  }

  /** @param {Error | null | undefined} error of the pipe, which has a code, or of what came through it */
  #broke (error) {
    if (!error) this.#lose('it closed the connection')
    else if ('code' in error) this.#lose(error.message)
    else this.refuse(error.message)
  }

  /** @param {string} why @param {'host-lost' | 'host-answer'} [code] */
  #lose (why, code = 'host-lost') {
    if (this.#lost) return this.#lost
    this.#lost = new HopbenchError(code, { host: this.name, why })
    clearInterval(this.beating)
    this.#connection.dispose()
    this.#gaveUp(this.#lost)
    return this.#lost
  }
}
