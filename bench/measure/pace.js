/** How often each user may ask here. What an arm's limits are about is the number of its users, which stays as it is; a
 * generator that cannot keep their pace would measure itself, so the pace is lowered to what it can keep. */
import { hasUsers } from '../load/capabilities.js'
import { measureUndisturbed } from './undisturbed.js'

/** @import { Arm, SlowerUsers } from '../types.js' @import { HeldStages } from './held-stages.js'
 * @import { RigOptions, WindowOrder } from './shapes.js' */

const PILOT_USERS = 100 // Enough to keep the generator busy, and there within the first second.
const PILOT_SECONDS = 6
const WITHOUT_WAITING = 1e6 // So often that nobody waits between two requests.
/** Of what it makes of a hundred users that never wait: waiting costs it time as well. With six thousand users Locust
 * made half to two thirds of that on one core before they fell behind (docs/users.md). */
export const GENERATOR_SHARE = 0.5

/** The arm that the pilot loads: of those with the most users the last, which is tuned. @param {Arm[]} arms */
export const hardest = arms => arms.reduce((most, arm) => arm.load.connections >= most.load.connections ? arm : most)

/** The arms whose users have to ask more slowly (pure). @param {Arm[]} arms
 * @param {number} capacity requests a second that the generator makes when nobody waits
 * @returns {SlowerUsers | null} null: none of them */
export function slowerUsers (arms, capacity) {
  // It has made nothing at all: what is in its way will show in the trials.
  if (!(capacity > 0)) return null
  const slower = arms.flatMap(({ name, load: { connections: users, perUserPerSecond: wanted = 1 } }) => {
    const used = capacity * GENERATOR_SHARE / users
    return used < wanted ? [{ arm: name, users, wanted, used }] : []
  })
  return slower.length > 0 ? { capacity, share: GENERATOR_SHARE, arms: slower } : null
}

/** What the generator makes of an arm that is up, as fast as it can. @param {Arm} arm
 * @param {Pick<WindowOrder, 'staged' | 'engine' | 'cores'>} order @returns {Promise<number>} requests per second */
export async function pilot (arm, order) {
  const users = Math.min(PILOT_USERS, arm.load.connections)
  const load = { ...arm.load, connections: users, spawnPerSecond: users, perUserPerSecond: WITHOUT_WAITING }
  const { rps } = await measureUndisturbed({
    ...order,
    arm: { ...arm, load },
    block: 0,
    startedAt: new Date().toISOString(),
    kind: { warm: false, series: false },
    seconds: PILOT_SECONDS,
    unit: 'requests',
    tag: 'pilot'
  })
  return rps
}

/** No block: what a pilot has up is used for nothing else. */
const PILOT_BLOCK = -1

/** Finds the pace once, before the first trial, on an arm of its own. @param {Arm[]} arms
 * @param {Pick<HeldStages, 'begin' | 'end'>} stages
 * @param {Pick<WindowOrder, 'engine' | 'cores'> & Pick<RigOptions, 'note'>} how
 * @returns {{ find: () => Promise<SlowerUsers | null>, slower: () => SlowerUsers | null }} */
export function paceFinder (arms, stages, { engine, cores, note }) {
  /** @type {SlowerUsers | null | undefined} */
  let slower = arms.some(({ load }) => hasUsers(load)) ? undefined : null
  return {
    slower: () => slower ?? null,
    async find () {
      if (slower !== undefined) return slower
      const arm = hardest(arms)
      const held = await stages.begin(arm, PILOT_BLOCK)
      note(`finding how much load ${engine.plugin.about.title} can make here`)
      slower = held && slowerUsers(arms, await pilot(arm, { staged: held.staged, engine, cores }))
      await stages.end()
      return slower
    }
  }
}

/** @param {Arm} arm @param {SlowerUsers | null} slower @returns {Arm} */
export function atThePace (arm, slower) {
  const pace = slower?.arms.find(({ arm: name }) => name === arm.name)
  return pace ? { ...arm, load: { ...arm.load, perUserPerSecond: pace.used } } : arm
}
