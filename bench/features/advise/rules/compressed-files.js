// Does nginx send files that are compressed ahead of time?
import { decided, findCompressedFiles, needsNoInstance, ruleOnCompression } from '../advice.js'
import { hasOption, withOption } from '../../../plan/changed-spec.js'
import { plural } from '../../../shared/format.js'

/** @import { AdviceFacts, Rule } from '../../../types.js' */

/** Most bytes of folders that are copied and compressed here, which takes some seconds. */
const MOST = { bytes: 512 * 1024 * 1024, compressible: 64 * 1024 * 1024 }

/** Subject of the decision. */
const ACTION = 'compress the files ahead of time'

/** @param {number} bytes */
const toMb = bytes => `${Math.round(bytes / 1e6)} MB`

/** @param {AdviceFacts} facts */
const sumFolders = ({ folders }) => ({
  bytes: folders.reduce((sum, { bytes }) => sum + bytes, 0),
  compressible: folders.reduce((sum, { compressible }) => sum + compressible, 0)
})

/** @param {ReturnType<typeof sumFolders>} sizes */
const isTooLarge = ({ bytes, compressible }) => bytes > MOST.bytes || compressible > MOST.compressible

export default /** @satisfies {Rule} */ ({
  about: { title: 'compressed files', question: 'Are the files compressed ahead of time?' },
  order: 25,

  needs ({ facts, chosen }) {
    const sizes = sumFolders(facts)
    const isMeasured = hasOption(chosen, 'static') && sizes.compressible > 0 && !isTooLarge(sizes)
    return isMeasured ? [chosen, withOption(chosen, 'gzip_static')] : []
  },

  decide (state) {
    const { facts, chosen } = state
    const sizes = sumFolders(facts)
    if (!hasOption(chosen, 'static') || sizes.compressible === 0) {
      return sizes.compressible > 0
        ? decided('no-matter', ACTION, 'nginx sends no files',
          { fact: 'The files stay with the app.', changes: 'Files from nginx.' })
        : decided('no-matter', ACTION, 'no folder has a text file that compression makes smaller',
          { fact: 'No text file has 1 KiB or more.', changes: 'Larger files of text.' })
    }
    if (isTooLarge(sizes)) {
      return decided('open', ACTION, `the folders are too large to be compressed here, with ${toMb(sizes.bytes)}`, {
        fact: `${plural(facts.folders.length, 'folder')} with ${toMb(sizes.compressible)} of text.`,
        changes: 'Compressed files that the build of the app writes, measured with +static+gzip_static.'
      })
    }
    // Sending them costs nginx no CPU time, so what looks alike is free.
    return ruleOnCompression(findCompressedFiles(state), state, {
      action: ACTION,
      isFree: contrast => contrast.verdict !== 'slower' || needsNoInstance(contrast)
    })
  },

  apply: ({ chosen }) => withOption(chosen, 'gzip_static')
})
