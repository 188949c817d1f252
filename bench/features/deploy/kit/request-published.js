/** Starts an app before its configuration is written, and requests the files that the configuration would publish. */
import { runInside } from '../../../machine/network/enclosure.js'
import { listPrefixFiles } from '../../../measure/gate/file-list.js'
import { createUnservedError, findUnserved } from '../../../measure/gate/served-files.js'
import { isOwn } from '../../../plan/spec.js'
import { withUngatedArm } from '../../../run/running-arm.js'

/** @import { HopbenchError } from '../../../errors.js' */
/** @import { Arm, FilePrefix } from '../../../types.js' */

/**
 * Requests each file of the prefixes from the app alone, so that the proxy need not be installed. The built-in servers
 * protect no file.
 *
 * @param {Arm} arm
 * @param {{ prefixes: FilePrefix[], argv: string[] }} command prefixes: that the proxy serves; argv: of hopbench
 * @returns {Promise<number | null>} exit code of the process in a PID namespace that has performed the whole command;
 *   null: the command goes on in this process
 * @throws {HopbenchError} file-published, gate-refused, and errors of starting the app
 */
export async function requestPublished (arm, { prefixes, argv }) {
  const { proxy, server } = arm.topology
  if (!proxy || !server || !isOwn(server)) return null
  const alone = { ...arm, topology: { ...arm.topology, proxy: null } }
  // Handlers of 'exit' end the app.
  const world = { enclose: () => runInside(argv), interrupt: () => process.exit(1) }
  const { exit } = await withUngatedArm(alone, world, async ({ network, running }) => {
    const unserved = await findUnserved({ target: running.originTarget, network }, listPrefixFiles(prefixes, '/'))
    if (unserved) throw createUnservedError(unserved, { name: arm.name, proxy: proxy.name })
    return { exit: null }
  })
  return exit
}
