/** Lowers the request rate of each user to what the generator can make, because a generator that is too slow would
 * measure its own queue. The number of users stays, because that is what the limits of an arm concern. */
import { hasUsers } from '../load/capabilities.js'
import { measureUndisturbed } from './undisturbed.js'

/** @import { Arm, SlowerUsers } from '../types.js' */
/** @import { HeldStages } from './rigs/isolated-rig.js' */
/** @import { RigOptions, WindowOptions } from './types.js' */

const PILOT_USERS = 100 // Enough to saturate the generator, and few enough to be started within a second.
const PILOT_SECONDS = 6
const WITHOUT_WAITING = 1e6 // Requests per second of a user that never waits between two requests.
/** Share of the rate of 100 users without waiting that the generator makes with waiting users, because waiting costs
 * CPU time too. With 6,000 users, Locust made half to two thirds of that rate on one core (docs/users.md). */
const GENERATOR_SHARE = 0.5

/** Returns the arm that the pilot loads: the last one, which is tuned, of those with the most users.
 * @param {Arm[]} arms */
const findHardest = arms => arms.reduce((most, arm) => arm.load.connections >= most.load.connections ? arm : most)

/**
 * Returns the arms whose users send requests more slowly than the plan has it (pure).
 * @param {Arm[]} arms
 * @param {number} capacity requests per second of users that never wait
 * @returns {SlowerUsers | null} null: no arm
 */
function findSlowerUsers (arms, capacity) {
  // The trials show why the generator made no request.
  if (!(capacity > 0)) return null
  const slower = arms.flatMap(({ name, load: { connections: users, perUserPerSecond: wanted = 1 } }) => {
    const used = capacity * GENERATOR_SHARE / users
    return used < wanted ? [{ arm: name, users, wanted, used }] : []
  })
  return slower.length > 0 ? { capacity, share: GENERATOR_SHARE, arms: slower } : null
}

/**
 * Measures how many requests the generator makes with users that never wait.
 * @param {Arm} arm
 * @param {Pick<WindowOptions, 'staged' | 'engine' | 'cores'>} options
 * @returns {Promise<number>} requests per second
 */
async function measurePilot (arm, options) {
  const users = Math.min(PILOT_USERS, arm.load.connections)
  const load = { ...arm.load, connections: users, spawnPerSecond: users, perUserPerSecond: WITHOUT_WAITING }
  const { rps } = await measureUndisturbed({ ...options, arm: { ...arm, load }, seconds: PILOT_SECONDS, tag: 'pilot' })
  return rps
}

/** A block number of its own, so that the processes of the pilot are used for nothing else. */
const PILOT_BLOCK = -1

/**
 * Finds the pace before the first trial, with an arm that is started for it.
 * @param {Arm[]} arms
 * @param {Pick<HeldStages, 'begin' | 'end'>} stages
 * @param {Pick<WindowOptions, 'engine' | 'cores'> & Pick<RigOptions, 'printProgress'>} options
 * @returns {Promise<SlowerUsers | null>} null: all users keep the plan's rate
 */
export async function findPace (arms, stages, { engine, cores, printProgress }) {
  if (!arms.some(({ load }) => hasUsers(load))) return null
  const arm = findHardest(arms)
  const held = await stages.begin(arm, PILOT_BLOCK)
  printProgress(`finding how much load ${engine.plugin.about.title} can make here`)
  const capacity = held && await measurePilot(arm, { staged: held.staged, engine, cores })
  await stages.end()
  return capacity === null ? null : findSlowerUsers(arms, capacity)
}

/**
 * Returns an arm with the pace that its users can keep.
 * @param {Arm} arm
 * @param {SlowerUsers | null} slower
 */
export function atPace (arm, slower) {
  const pace = slower?.arms.find(({ arm: name }) => name === arm.name)
  return pace ? { ...arm, load: { ...arm.load, perUserPerSecond: pace.used } } : arm
}
