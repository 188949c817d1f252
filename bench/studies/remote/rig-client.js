/** The rig of a run whose served side is on another machine. The loss of that machine ends the run, which keeps its
 * samples. */
import { getErrorMessage } from '../../errors.js'
import { fileName, writeKept } from '../../measure/kept-files.js'
import { EMPTY } from '../../shared/trial.js'
import { ALL_KEPT_BYTES } from './messages.js'
import { asLine, isPlainPath } from './received.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { Plan, Rig, Sample } from '../../types.js' */
/** @import { Channel } from './channel.js' */
/** @import { RigOptions } from '../../measure/shapes.js' */

/** @implements {Rig} */
class RemoteRig {
  crowded = null
  lost = () => new Set(this.#isGone ? this.#order.names : this.#lost)
  /** @type {Rig['refused']} */
  refused = new Map()
  /** @type {Rig['tools']} */
  tools = {}
  /** @type {Rig['slowerUsers']} */
  slowerUsers = null
  #channel
  #order
  /** @type {string[]} */
  #lost = []
  #isGone = false

  /**
   * @param {Channel} channel
   * @param {{ names: string[], keepIn: string, maxSeconds: number }} order names: of the plan's arms
   * @param {any} reply
   */
  constructor (channel, order, { engine, switchedFor, instead, ...state }) {
    this.#channel = channel
    this.#order = order
    /** @type {string} */
    this.engine = engine
    /** @type {Rig['switchedFor']} */
    this.switchedFor = switchedFor
    /** @type {Rig['instead']} */
    this.instead = instead
    this.#update(state)
  }

  /** @type {Rig['trials']} */
  async * trials (arms, block) {
    for (const arm of arms) if (!this.lost().has(arm)) yield [await this.#trial(arm, block)]
  }

  async finish () {
    return this.#isGone ? new Map() : new Map(await this.#channel.request('rig/finish'))
  }

  async close () {
    if (this.#isGone) return
    const files = await this.#channel.request('rig/close').catch(() => ({}))
    keep(files, this.#channel, this.#order)
  }

  /**
   * @param {string} arm
   * @param {number} block
   * @returns {Promise<Sample>}
   */
  async #trial (arm, block) {
    const startedAt = new Date().toISOString()
    try {
      // A trial takes at most as long as its generators may run.
      const { sample, ...state } = await this.#channel.request('rig/trial', { arm, block }, this.#order.maxSeconds)
      this.#update(state)
      if (sample.arm === arm && sample.block === block) return sample
      throw this.#channel.refuse('it reports an unrequested trial')
    } catch (error) {
      this.#isGone = true
      const invalid = /** @type {const} */ ({ code: 'host-lost', params: { message: getErrorMessage(error) } })
      return { ...EMPTY, arm, block, startedAt, invalid }
    }
  }

  /**
   * Takes over the state of the other rig. Rejects a state that names other arms than the plan's.
   *
   * @param {any} state
   * @throws {HopbenchError} host-answer
   */
  #update (state) {
    const arms = [...state.lost, ...state.refused.map((/** @type {[string]} */ [arm]) => arm)]
    const unknown = arms.find(arm => !this.#order.names.includes(arm))
    if (unknown !== undefined) {
      throw this.#channel.refuse(`it reports an arm "${unknown}", which the plan does not have`)
    }
    this.#lost = state.lost
    this.refused = new Map(state.refused)
    this.tools = state.tools
    this.slowerUsers = state.slowerUsers
  }
}

/**
 * Opens a rig on another machine.
 *
 * @param {Channel} channel
 * @param {Plan} plan
 * @param {Pick<RigOptions, 'keepIn' | 'engine' | 'mayswitch' | 'maxSeconds' | 'note'>} order
 * @returns {Promise<Rig>}
 * @throws {HopbenchError} host-lost, host-answer, and errors of opening the rig there
 */
export async function openRigOver (channel, plan, { keepIn, note, ...options }) {
  channel.onNotification('rig/note', text => note(asLine(text)))
  const reply = await channel.request('rig/open', { plan, options }, options.maxSeconds)
  const names = plan.arms.map(({ name }) => name)
  return new RemoteRig(channel, { names, keepIn, maxSeconds: options.maxSeconds }, reply)
}

/**
 * Stores configurations and logs in a folder for each arm, as `keepFiles` does for a rig on this machine. Rejects other
 * names. The run keeps its samples then.
 *
 * @param {Record<string, string>} files
 * @param {Channel} channel
 * @param {{ keepIn: string, names: string[] }} order names: of the arms
 */
function keep (files, channel, { keepIn, names }) {
  const folders = names.map(fileName)
  const invalid = Object.keys(files).find(file =>
    !isPlainPath(file) || !folders.includes(file.split('/')[0]) || !/.\/.*\.(conf|log|err)$/.test(file))
  if (invalid !== undefined) return channel.refuse(`"${invalid}" is not a valid name of a file to copy back`)
  const characters = Object.values(files).reduce((sum, text) => sum + text.length, 0)
  if (characters > ALL_KEPT_BYTES) return channel.refuse('the files to copy back are too large')
  for (const [file, text] of Object.entries(files)) writeKept(keepIn, file, text)
}
