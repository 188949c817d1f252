/** Reads the folder of probes. A file there is a topic; there is no other registry. */
import { readdirSync } from 'node:fs'

/** @import { Probe, TopicProbe } from './types.js' */

const folder = new URL('./probes/', import.meta.url)

/** @returns {Promise<TopicProbe[]>} topic by topic */
export async function loadProbes () {
  const modules = await Promise.all(readdirSync(folder).sort().map(file => import(new URL(file, folder).href)))
  return modules.flatMap(({ default: { topic, probes } }) =>
    /** @type {Probe[]} */ (probes).map(probe => ({ ...probe, topic }))
  )
}
