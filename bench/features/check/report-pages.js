/** Pages about failures, ready for the tracker of a project (pure). */
import { checkFailures } from '../../judge/check-failures.js'

/** @import { CheckFailure, CheckRecord, CheckedServer } from '../../types.js' */

const PRIVATE = '**Report privately first**: this failure is of safety. Use the address of the project for ' +
  'vulnerabilities, and publish it after the project has.\n\n'
/** Characters of a file's name that differ between systems. */
const UNUSUAL = /[^\w.+-]+/g

/**
 * Returns a page for each failed probe of each server.
 *
 * @param {CheckRecord} record
 * @returns {{ file: string, text: string }[]}
 */
export const toReportPages = record => record.servers.flatMap(server =>
  (checkFailures(record, server.name) ?? []).map(failure => ({
    file: `${`${server.name}-${failure.name}`.replaceAll(UNUSUAL, '-')}.md`,
    text: toPage(record, server, failure)
  })))

/**
 * @param {CheckRecord} record
 * @param {CheckedServer} server
 * @param {CheckFailure} failure
 */
function toPage ({ tools }, { name, about, version, node, chains }, failure) {
  const { evidence } = chains.find(({ spec }) => spec === failure.chains[0])?.results
    .find(({ probe }) => probe === failure.name) ?? {}
  const programs = [...version ? [`${about?.package} ${version}`] : [], `Node ${node}`,
    ...Object.entries(tools).filter(([tool]) => failure.chains[0].startsWith(tool)).map(program => program.join(' '))]
  return `# ${name}: ${failure.name} fails\n\n${failure.safety ? PRIVATE : ''}` +
    `- Versions: ${programs.join(', ')}\n- Seen: ${toLine(failure.saw)}\n` +
    `- Fails in: ${failure.chains.join(', ')}\n\n## Expected\n\n${toLine(failure.title)} ${toSection(failure)}\n` +
    toBlock('Request', evidence?.request) + toBlock('Response', evidence?.response) +
    toBlock('Reproduce', evidence?.command, '`$URL` is the address of the server, without a final slash, `$ROOT` ' +
      'the folder that it serves, and `$PID` its process. The files of the command must exist.\n\n')
}

/** @param {CheckFailure} failure */
function toSection ({ rfc, safety }) {
  const [, number, section] = /^RFC (\d+), ([\d.]+)$/.exec(rfc ?? '') ?? []
  const url = `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`
  if (number) return `([RFC ${number}, section ${section}](${url}))`
  return safety
    ? '(no RFC requires this: a request can read private files, change files, redirect elsewhere or end the service)'
    : '(no RFC requires this)'
}

/**
 * Returns a section with an indented code block, because a text can contain any fence.
 *
 * @param {string} title
 * @param {string | null | undefined} text
 * @param {string} [note]
 */
const toBlock = (title, text, note = '') => text === null || text === undefined
  ? ''
  : `\n## ${title}\n\n${note}${text.trimEnd().split(/\r?\n/).map(line => `    ${line}`).join('\n')}\n`

/** Returns one line in which Markdown interprets no HTML. @param {string} text */
const toLine = text => text.replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;')
