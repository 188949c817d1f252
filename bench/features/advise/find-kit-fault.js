/** Finds out before anything is measured whether a deploy kit can be written. */
import { explain, HopbenchError } from '../../errors.js'
import { withOption, withProxy } from '../../plan/changed-spec.js'
import { makeKit } from '../deploy/index.js'
import { SIMPLEST } from './decide.js'
import { chooseBuild, toKitArm } from './write.js'

/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/**
 * Describes why there is no kit of the app alone, or of the app with nginx. Writes nothing.
 * @param {AdviseRequest} request
 * @param {AdviseFlags} options
 * @returns {Promise<string | null>} a note of the advice; null: both kits can be written
 */
export async function findKitFault (request, options) {
  const { platform: { target }, out, paths: [path], prefixes } = request
  const build = chooseBuild(request)
  for (const spec of [SIMPLEST, prefixes.length > 0 ? withOption(SIMPLEST, 'static') : withProxy(SIMPLEST)]) {
    try {
      await makeKit(await toKitArm(spec, request, options), { target, out, path, build, isTrial: true })
    } catch (error) {
      if (!(error instanceof HopbenchError)) throw error
      return describeKitFault(error)
    }
  }
  return null
}

/**
 * Describes why a kit was not written.
 * @param {HopbenchError} error
 * @returns {string} a note of the advice, in one line
 */
export const describeKitFault = error => `kit: ${explain(error).text.replaceAll('\n', ' ').trim()}`
