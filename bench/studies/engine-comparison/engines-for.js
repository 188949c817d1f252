/** Finds the engines that can load a topology. */
import { HopbenchError } from '../../errors.js'
import { getTargetFacts, findRefusal } from '../../load/capabilities.js'
import { findEngine } from '../../load/find-engine.js'
import { aboutProtocol, loadPlugin, pluginNames } from '../../plugins.js'

/** @import { FoundEngine } from '../../load/shapes.js' */
/** @import { Arm } from '../../types.js' */

/**
 * @param {Arm} arm
 * @returns {Promise<{ engines: FoundEngine[], leftOut: { name: string, why: string }[] }>}
 */
export async function enginesFor (arm) {
  /** @type {FoundEngine[]} */
  const engines = []
  /** @type {{ name: string, why: string }[]} */
  const leftOut = []
  const protocol = await aboutProtocol('window')
  for (const name of pluginNames('engine')) {
    try {
      // Checks the capabilities first, so that unsuitable engines are not installed.
      const { default: { about } } = await loadPlugin('engine', name)
      const load = { ...arm.load, engine: name }
      const what = findRefusal(about, { load, facts: getTargetFacts(arm.topology), protocol })
      if (what === null) engines.push(await findEngine(name))
      else leftOut.push({ name, why: `${about.title} cannot ${what}` })
    } catch (error) {
      if (!(error instanceof HopbenchError) || !['tool-missing', 'tool-broken'].includes(error.code)) throw error
      leftOut.push({ name, why: `${error.message} ${error.remedy}` })
    }
  }
  return { engines, leftOut }
}
