/** Tries the configuration of nginx in a kit with a test app in place of the user's, whose paths are unknown. */
import { makeFolder } from '../../machine/make-folder.js'
import { checkConfigs, loadBehaviours } from '../check/configs/configs-study.js'

/** @import { AdviceCheck, Arm, OptionValue } from '../../types.js' */

/** Behaviours of `hopbench check --configs` that a kit with nginx is tried for, and those for apps with upgrades. */
const WITH_TEST_APP = ['large-upload', 'streaming']
const WITH_UPGRADES = ['websocket']
/** Options of nginx about folders of files, which the test app has not. */
const OF_FILES = ['static', 'gzip_static']

/** Prints the value of an option as a topology has it. @param {OptionValue} value */
const toText = value => value === true ? 'on' : value === false ? 'off' : String(value)

/**
 * Tries uploads, streams and upgrades, whose paths in the app are unknown, with a test app behind the same
 * configuration of nginx.
 * @param {Arm} arm of the chosen topology
 * @param {{ target: string, upgrades: boolean, temp: string }} kit upgrades: whether the app takes over connections
 * @returns {Promise<AdviceCheck[]>} empty: the kit has no nginx
 */
export async function checkWithTestApp ({ spec, topology: { proxy } }, { target, upgrades, temp }) {
  if (!proxy) return []
  const options = Object.fromEntries(Object.entries(proxy.options)
    .flatMap(([name, value]) => OF_FILES.includes(name) ? [] : [[name, toText(value)]]))
  const all = await loadBehaviours()
  const behaviours = new Map([...WITH_TEST_APP, ...upgrades ? WITH_UPGRADES : []].map(name => {
    const behaviour = all.get(name)
    if (!behaviour) throw new TypeError(`the behaviour ${name} of ${spec} is missing`)
    return [name, { ...behaviour, options: { ...options, ...behaviour.options } }]
  }))
  makeFolder(temp)
  const { cells } = await checkConfigs({ subjects: [{ name: target, kind: 'kit' }], temp, say: () => {}, behaviours })
  return cells.map(({ behaviour, outcome, detail }) => ({
    title: `with a test app ${behaviours.get(behaviour)?.title}`,
    holds: outcome === 'holds',
    fault: outcome === 'holds' ? null : detail ?? outcome
  }))
}
