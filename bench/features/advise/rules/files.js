// Does the app send its files itself, or does nginx in front of it?
import { findCompressedFiles, isWorthAnInstance } from '../compression.js'
import { decided, findContrast, ratioText, rule, toTransport } from '../advice.js'
import { withOption, withProxy } from '../../../plan/changed-spec.js'

/** @import { AdviceContrast, AdviceState, Rule } from '../../../types.js' */

/** Subject of the decision. */
const ACTION = 'let nginx send the files'
/** The app alone, as a topology. */
const ALONE = 'app'

/**
 * Returns whether files that nginx sends compressed save traffic for more than the price of an instance. Compares with
 * the bytes of the app alone, because the app may compress its files itself.
 * @param {AdviceState} state
 * @param {AdviceContrast} files nginx that sends the files, against the app alone
 */
function compressedFilesPay (state, files) {
  const packed = findCompressedFiles(state)
  if (packed === null || packed.verdict === 'invalid') return false
  const bytes = { arm: packed.bytes.arm, baseline: files.bytes.baseline }
  return isWorthAnInstance({ ...packed, bytes }, state)
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'files', question: 'Who sends the files: the app, or nginx in front of it?' },
  order: 10,

  needs: state => state.facts.folders.length === 0
    ? []
    : [ALONE, withProxy(ALONE, toTransport(state)), withOption(ALONE, 'static', true, toTransport(state))],

  decide (state) {
    const { folders, project } = state.facts
    if (folders.length > 0) {
      const contrast = findContrast(state, withOption(ALONE, 'static', true, toTransport(state)), ALONE)
      const ruling = rule(contrast, ACTION, 'the app alone')
      if (contrast === null || ruling.decision !== 'no-matter' || !compressedFilesPay(state, contrast)) return ruling
      const gain = 'compressed files save traffic that costs more than an instance'
      return {
        ...ruling,
        ...decided('do', ACTION, `${ratioText(contrast, 'the app alone')}, and ${gain}`),
        changes: 'Traffic that costs less than an instance.'
      }
    }
    const [folder] = project.unnamedFolders
    if (folder === undefined) {
      return {
        ...decided('no-matter', ACTION, 'the app has no folder of files'),
        because: { fact: 'No folder is named with --files, and the project has none with a usual name.' },
        changes: 'A folder of files, named with --files.'
      }
    }
    return {
      ...decided('open', ACTION, `the folder ${folder} was not measured`),
      because: {
        fact: `The project has the folder ${folder}. No prefix of its URLs is named or was found that --files takes.`
      },
      // The look has tried the name of the folder as a prefix.
      changes: `The prefix of its URLs, as in --files /assets=./${folder}/assets.`
    }
  },

  apply: state => withOption(state.chosen, 'static', true, toTransport(state))
})
