/** Reads the folder of probes. A file there is a topic; there is no other registry. */
import { readdirSync } from 'node:fs'

const folder = new URL('./probes/', import.meta.url)

/** @typedef {import('./context.js').Probe & { topic: string }} TopicProbe */

/** @returns {Promise<TopicProbe[]>} topic by topic */
export async function loadProbes () {
  const modules = await Promise.all(readdirSync(folder).sort().map(file => import(new URL(file, folder).href)))
  return modules.flatMap(({ default: { topic, probes } }) => /** @type {import('./context.js').Probe[]} */ (probes).map(probe => ({ ...probe, topic })))
}
