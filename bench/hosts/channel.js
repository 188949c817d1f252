/**
 * Questions and answers between this machine and another, over the pipes of an ssh: JSON-RPC 2.0 in both directions. Errors
 * keep their code; a machine that falls silent is lost, and everything that waits for it is told so.
 */
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { HopbenchError } from '../errors.js'

/** Each side says so often that it is there … */
const BEAT_SECONDS = 2
/** … and is given up after this: a machine that is busy is late, one that is gone says nothing. */
const SILENCE_SECONDS = 20
/** Of an error that is none of the catalog's. JSON-RPC leaves -32099 to -32000 to its users. */
const FAILED = -32000

export class Channel {
  #connection
  #heardAt = performance.now()
  /** @type {HopbenchError | null} */
  #lost = null
  /** @type {(why: HopbenchError) => void} */
  #gaveUp = () => {}
  /** Resolves with the reason when the other side is lost. @type {Promise<HopbenchError>} */
  lost = new Promise(resolve => { this.#gaveUp = resolve })

  /**
   * @param {string} name of the other side, for messages
   * @param {{ input: import('node:stream').Readable, output: import('node:stream').Writable }} pipes
   */
  constructor (name, { input, output }) {
    this.name = name
    this.#connection = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output))
    this.#connection.onNotification('beat', () => { this.#heardAt = performance.now() })
    this.#connection.onClose(() => this.#lose('it closed the connection'))
    this.#connection.onError(([error]) => this.#lose(error.message))
    output.on('error', error => this.#lose(error.message))
    this.beating = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENCE_SECONDS * 1000) this.#lose(`nothing was heard of it for ${SILENCE_SECONDS} s`)
      else this.tell('beat')
    }, BEAT_SECONDS * 1000)
  }

  /** Begins to listen; whatever is to be answered is served by now. */
  listen () {
    this.#connection.listen()
  }

  /**
   * @param {string} method
   * @param {(params: any) => any} answer may be async
   */
  serve (method, answer) {
    this.#connection.onRequest(method, async params => {
      this.#heardAt = performance.now()
      try {
        return await answer(params) ?? null
      } catch (error) {
        throw new ResponseError(FAILED, /** @type {Error} */ (error).message, packError(error))
      }
    })
  }

  /**
   * @param {string} method
   * @param {unknown} [params]
   * @returns {Promise<any>}
   * @throws {HopbenchError} what the other side threw; host-lost
   */
  async ask (method, params = null) {
    if (this.#lost) throw this.#lost
    try {
      return await this.#connection.sendRequest(method, params)
    } catch (error) {
      const thrown = /** @type {{ data?: ReturnType<typeof packError>, message: string }} */ (error)
      if (thrown.data) throw unpackError(thrown.data) ?? new Error(thrown.message)
      throw this.#lost ?? this.#lose(thrown.message)
    }
  }

  /**
   * @param {string} what
   * @param {(params: any) => void} heed
   */
  heed (what, heed) {
    this.#connection.onNotification(what, heed)
  }

  /**
   * @param {string} what
   * @param {unknown} [params]
   */
  tell (what, params = null) {
    if (!this.#lost) this.#connection.sendNotification(what, params).catch(() => {})
  }

  isLost () {
    return this.#lost !== null
  }

  close () {
    this.#lose('it was closed')
  }

  /** @param {string} why */
  #lose (why) {
    if (this.#lost) return this.#lost
    this.#lost = new HopbenchError('host-lost', { host: this.name, why })
    clearInterval(this.beating)
    this.#connection.dispose()
    this.#gaveUp(this.#lost)
    return this.#lost
  }
}

/** @param {unknown} error */
export const packError = error => error instanceof HopbenchError ? { code: error.code, details: error.details } : { code: null, details: {} }
/** @param {{ code: string | null, details: Record<string, any> }} packed @returns {HopbenchError | null} */
export function unpackError ({ code, details }) {
  if (code === null) return null
  const thrown = /** @type {import('../errors.js').Thrown} */ ([code, details])
  return new HopbenchError(...thrown)
}
