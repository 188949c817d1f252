// Does the app send its files itself, or does nginx in front of it?
import {
  SIMPLEST, decided, findCompressedFiles, findContrast, isWorthAnInstance, ratioText, rule, toTransport
} from '../advice.js'
import { withOption, withProxy } from '../../../plan/changed-spec.js'
import { listing, percent, plural } from '../../../shared/format.js'
import { findPackage } from '../find-folders.js'

/** @import { AdviceContrast, AdviceState, Rule, ServedFiles } from '../../../types.js' */

/** Subject of the decision. */
const ACTION = 'let nginx send the files'

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

/**
 * Describes the files of pages, and where they come from.
 * @param {ServedFiles | undefined} files
 * @returns {string | null} null: there is none
 */
function describeServed (files) {
  if (files === undefined || files.files === 0) return null
  const packages = [...new Set(files.folders.flatMap(({ folder }) => findPackage(folder) ?? []))]
  const own = files.folders.flatMap(({ folder }) => findPackage(folder) === null ? [folder] : [])
  const sources = [
    ...own.length > 0 ? [`from ${listing(own)}`] : [],
    ...packages.length > 0 ? [`from the package${packages.length > 1 ? 's' : ''} ${listing(packages)}`] : [],
    ...files.unknown > 0 ? [own.length + packages.length > 0 ? 'others from no folder' : 'from no folder'] : []
  ]
  return `the app sends ${plural(files.files, 'file')} (${percent(files.share)} of the bytes of its pages) ` +
    listing(sources) + (files.unknown > 0 ? ' in which they were found' : '')
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'files', question: 'Who sends the files: the app, or nginx in front of it?' },
  order: 10,

  needs: state => state.facts.folders.length === 0
    ? []
    : [SIMPLEST, withProxy(SIMPLEST, toTransport(state)), withOption(SIMPLEST, 'static', true, toTransport(state))],

  decide (state) {
    const { app, folders, project } = state.facts
    if (folders.length > 0) {
      const contrast = findContrast(state, withOption(SIMPLEST, 'static', true, toTransport(state)), SIMPLEST)
      const ruling = rule(contrast, ACTION, 'the app alone')
      if (contrast === null || ruling.decision !== 'no-matter' || !compressedFilesPay(state, contrast)) return ruling
      const gain = 'compressed files save traffic that costs more than an instance'
      return decided('do', ACTION, `${ratioText(contrast, 'the app alone')}, and ${gain}`,
        { contrast, changes: 'Traffic that costs less than an instance.' })
    }
    const [folder] = project.unnamedFolders
    const served = describeServed(app.files)
    if (served !== null) {
      return decided('open', ACTION, served, {
        fact: 'No folder of the project with these files is named or was found that --files takes.',
        changes: 'A folder of the project with copies of these files, named with its prefix, as in --files ' +
          '/assets=./public/assets.'
      })
    }
    if (folder === undefined) {
      return decided('no-matter', ACTION, 'the measured pages link to no file of the app', {
        fact: 'No folder is named with --files, and the project has none with a usual name.',
        changes: 'A folder of files, named with --files.'
      })
    }
    return decided('open', ACTION, `the folder ${folder} was not measured`, {
      fact: `The project has the folder ${folder}. No prefix of its URLs is named or was found that --files takes.`,
      // The look has tried the name of the folder as a prefix.
      changes: `The prefix of its URLs, as in --files /assets=./${folder}/assets.`
    })
  },

  apply: state => withOption(state.chosen, 'static', true, toTransport(state))
})
