/** Which arms of a run may be set against each other: those that were sent the same requests (pure).
 * @import { ArmResult } from '../types.js' */

/** @param {ArmResult[]} arms with a rate
 * @returns {{ arms: ArmResult[], loads: number }} those of the load that most of them have. Where all of these have
 * further loads as well (files of several sizes), each topology once, with equal shares of requests for each load */
export function comparable (arms) {
  /** @type {Map<string, ArmResult[]>} */
  const byLoad = new Map()
  for (const arm of arms) byLoad.set(requestsOf(arm), [...byLoad.get(requestsOf(arm)) ?? [], arm])
  const groups = [...byLoad.values()]
  const [most] = groups.toSorted((a, b) => b.length - a.length)
  if (!most) return { arms: [], loads: 0 }
  const words = [...new Set(most.map(({ word }) => word))]
  const ofAll = groups.filter(group => words.every(word => group.some(arm => arm.word === word)))
  if (ofAll.length === 1) return { arms: most, loads: 1 }
  return { loads: ofAll.length, arms: words.map(word => over(word, ofAll.flatMap(group => ofWord(word, group)))) }
}

/** @param {string} word @param {ArmResult[]} group */
const ofWord = (word, group) => group.find(arm => arm.word === word) ?? []

/** What is requested decides; how many clients request it does not. @param {ArmResult} arm */
const requestsOf = ({ load: { path, paths, headers } }) => JSON.stringify([path, paths, headers])

/** Equal shares of requests: their times add up, so rates have a harmonic mean.
 * @param {string} name @param {ArmResult[]} arms one for each load @returns {ArmResult} */
function over (name, arms) {
  const rate = (/** @type {'median' | 'low' | 'high'} */ key) =>
    arms.length / arms.reduce((sum, { rps }) => sum + 1 / (rps?.[key] ?? 0), 0)
  const cpus = arms.flatMap(({ cpuMicrosPerRequest: cpu }) => cpu ?? [])
  const mean = (/** @type {'load' | 'proxy' | 'server'} */ role) =>
    cpus.reduce((sum, cpu) => sum + cpu[role], 0) / cpus.length
  return {
    ...arms[0],
    name,
    rps: { median: rate('median'), low: rate('low'), high: rate('high') },
    cpuMicrosPerRequest: cpus.length > 0 ? { load: mean('load'), proxy: mean('proxy'), server: mean('server') } : null
  }
}
