/**
 * Leaves out the requests of a HAR file or a log that an app refuses by now, before they are measured. Otherwise a
 * single path that is gone would make every arm invalid.
 */
import { badOption } from '../errors.js'
import { findProxies } from '../measure/find-programs.js'
import { fetchResponses } from '../measure/gate/gate.js'
import { openArm } from '../measure/stage.js'
import { isFileRequest } from '../plan/file-prefixes.js'
import { findMix, nameRequest, withoutRequests } from '../plan/request-mix.js'
import { refusedText } from '../report/facts/warning-texts.js'
import { MAX_FILE_BYTES } from '../request/user-paths.js'
import { percent, plural } from '../shared/format.js'
import { pathWithoutSecrets } from '../shared/secrets.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { ArmOptions } from '../measure/types.js' */
/** @import { CheckedResponse } from '../load/types.js' */
/** @import { Arm, Plan } from '../types.js' */
/** @import { Workspace } from './types.js' */

/** Largest share of the requests that is left out. Beyond, the others do not represent the traffic. */
export const MAX_SHARE = 0.1
const MAX_LISTED = 3

/**
 * Sends each request once to each app, without a proxy, and returns the arms without the refused requests, and those
 * requests. Every arm has the same requests.
 *
 * @param {Arm[]} arms
 * @param {Omit<ArmOptions, 'proxies' | 'dir' | 'root'> & Pick<Workspace, 'folder' | 'printProgress'>} options
 * @returns {Promise<Pick<Plan, 'arms' | 'refused'>>}
 * @throws {HopbenchError} bad-option, if it is more than a tenth; errors of starting the app
 */
export async function leaveOutRefused (arms, options) {
  /** @type {Map<string, string>} */
  const faults = new Map()
  for (const arm of listApps(arms)) {
    for (const [name, why] of await findRefused(arm, options)) faults.set(name, why)
  }
  if (faults.size === 0) return { arms }
  const [arm] = arms
  const { requests, sequence } = /** @type {NonNullable<ReturnType<typeof findMix>>} */ (findMix(arm.load))
  const names = sequence.map(index => nameRequest(requests[index])).filter(name => faults.has(name))
  const refused = {
    share: names.length / sequence.length,
    requests: [...faults].slice(0, MAX_LISTED).map(([name, why]) => `${pathWithoutSecrets(name)} ${why}`),
    more: Math.max(0, faults.size - MAX_LISTED)
  }
  const what = refusedText(refused)
  if (refused.share > MAX_SHARE) {
    const limit = `up to ${percent(MAX_SHARE)} are left out`
    throw badOption('--har or --paths', arm.name, `the app refuses ${what}, and ${limit}`,
      'Leave such paths out of the file, or send a session with --header if they need a login.')
  }
  options.printProgress(`left out: ${what}`)
  const left = arms.map(arm => findMix(arm.load) ? { ...arm, load: withoutRequests(arm.load, faults) } : arm)
  return { arms: left, refused }
}

/**
 * Returns an arm for each app of your own that responds to several requests, without its proxy.
 * @param {Arm[]} arms
 * @returns {Arm[]}
 */
function listApps (arms) {
  /** @type {Map<string, Arm>} */
  const apps = new Map()
  for (const arm of arms) {
    const { url, server, files } = arm.topology
    if (findMix(arm.load) === null || (url ?? server?.command) === undefined) continue
    const topology = { proxy: null, server, ...url !== undefined && { url }, ...files && { files } }
    apps.set(JSON.stringify([url, server]), { ...arm, topology })
  }
  return [...apps.values()]
}

/**
 * @param {Arm} arm
 * @param {Parameters<typeof leaveOutRefused>[1]} options
 * @returns {Promise<[name: string, why: string][]>}
 */
async function findRefused (arm, { folder, printProgress, ...options }) {
  const { paths, sequence, ...load } = arm.load
  const { requests: all } = /** @type {NonNullable<ReturnType<typeof findMix>>} */ (findMix(arm.load))
  // The gate compares all files of prefixes, and names those that the app protects.
  const requests = all.filter(request => !isFileRequest(arm.topology.files ?? [], request))
  if (requests.length === 0) return []
  printProgress(`requesting ${plural(requests.length, 'path')} of ${arm.topology.server?.name ?? arm.name}`)
  const dir = folder('q')
  const { staged, close } = await openArm(arm, { ...options, dir, root: dir, proxies: await findProxies([arm]) })
  try {
    const { answers } = await fetchResponses({
      target: staged.running.originTarget,
      load: { ...load, requests },
      network: staged.network,
      times: requests.length,
      mostBytes: MAX_FILE_BYTES
    })
    return requests.flatMap((request, index) => {
      const answer = answers.find(({ answer }) => answer.request === index)?.answer
      const why = answer ? findFault(answer) : `gets no response of up to ${MAX_FILE_BYTES / 2 ** 20} MiB`
      return why === null ? [] : [([nameRequest(request), why])]
    })
  } finally {
    await close()
  }
}

/** @param {CheckedResponse} response */
function findFault ({ status, location }) {
  if (status >= 200 && status <= 299) return null
  return `gets status ${status}${location ? ` and leads to ${pathWithoutSecrets(location)}` : ''}`
}
