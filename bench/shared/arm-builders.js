/** Builds arms of experiments by size of the requested file and by number of nginx workers, and claims (pure). */

/** @import { ClaimTest, ExperimentFile } from '../types.js' */
/** @typedef {keyof typeof FILES} Size */

/** Paths of the generated files, by size. */
const FILES = {
  '0 B': '/0.bin',
  '0 KB': '/0.bin',
  '1 KB': '/1k.bin',
  '10 KB': '/10k.bin',
  '100 KB': '/100k.bin',
  '1 MB': '/1m.bin',
  '10 MB': '/10m.bin'
}
/** Paths of a thousand generated files of 1 KB. */
export const MANY_FILES = Array.from({ length: 1000 }, (_, i) => `/many/${i}.bin`)
/** Numbers of workers that are compared with one worker. */
const MORE_WORKERS = [2, 4]

/**
 * Returns an arm that requests the file of a size.
 *
 * @param {string} topology
 * @param {Size} size
 */
export const requestSize = (topology, size) => ({ topology, load: { path: FILES[size] } })

/**
 * Returns an arm for each size.
 *
 * @param {Size[]} sizes
 * @param {string} topology
 * @param {(size: Size) => string} toName
 * @returns {ExperimentFile['arms']}
 */
export const armsBySize = (sizes, topology, toName) =>
  Object.fromEntries(sizes.map(size => [toName(size), requestSize(topology, size)]))

/**
 * Returns an arm with one worker, `http, workers 1`, and one for each larger number of workers.
 *
 * @param {string} label
 * @param {(option: string) => ExperimentFile['arms'][string]} toArm option: the number of workers as part of a
 * topology, `+workers=2`; empty for one, the default of hopbench
 * @returns {ExperimentFile['arms']}
 */
export const armsByWorkers = (label, toArm) => Object.fromEntries([1, ...MORE_WORKERS].map(count =>
  [`${label}, workers ${count}`, toArm(count === 1 ? '' : `+workers=${count}`)]))

/**
 * Returns the contrasts between each larger number of workers and one worker.
 *
 * @param {string} label
 * @returns {[string, string][]}
 */
export const contrastsByWorkers = label =>
  MORE_WORKERS.map(count => [`${label}, workers ${count}`, `${label}, workers 1`])

/**
 * Returns a claim.
 * @param {string} id
 * @param {ClaimTest} test
 * @param {number | string} published
 * @param {string} statement
 * @param {Partial<NonNullable<ExperimentFile['claims']>[number]>} [more] further properties
 * @returns {NonNullable<ExperimentFile['claims']>[number]}
 */
export const claim = (id, test, published, statement, more) => ({ id, statement, published, test, ...more })

/**
 * Returns the claim that an arm serves a multiple of what another one serves.
 * @param {string} id
 * @param {[arm: string, baseline: string]} pair
 * @param {number} published
 * @param {string} statement # is replaced by the ratio
 * @param {Parameters<typeof claim>[4]} [more] further properties
 */
export const ratioClaim = (id, [arm, baseline], published, statement, more) =>
  claim(id, { kind: 'ratio', arm, baseline }, published, statement.replace('#', published.toFixed(2)), more)

/**
 * Returns a claim for each server, alone or in four processes (x4): it serves a multiple of what nginx serves.
 * @param {string} prefix of the ids
 * @param {number} nginx published requests per second
 * @param {Record<string, number>} published requests per second of the arms
 */
export const claimsOverNginx = (prefix, nginx, published) => Object.entries(published).map(([arm, figure]) =>
  ratioClaim(`${prefix}-${arm.replace(' ', '-')}-over-nginx`, [arm, 'nginx'], figure / nginx,
    `${arm.replace('x4', 'in four processes')} serves # times as much as nginx.`,
    arm.endsWith(' x4') ? { needsCores: 4 } : undefined))
