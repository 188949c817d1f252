/** Report of a configuration of one's own, and its findings as SARIF (pure). */
import { parsePatch } from 'diff'
import { column } from '../../report/table.js'
import { compact } from '../../report/wrap.js'
import { groupBy } from '../../shared/group-by.js'
import { limited, listing, plural } from '../../shared/format.js'

/** @import { Block, Report } from '../../types.js' */
/** @import { OwnFinding, OwnRecord, ProxyBlock } from './types.js' */

/** Lists of what was supplied are shortened to this length in sentences. */
const MAX_LISTED = 12

/** @param {{ file: string | null, line: number }} place */
const toPlace = ({ file, line }) => file === null ? '' : `${file}:${line}`

/**
 * Returns sentences about the findings of a behaviour, and its changes, each once.
 * @param {OwnFinding[]} findings
 * @param {ProxyBlock[]} blocks
 * @returns {Block[]}
 */
function toBlocks (findings, blocks) {
  const toSites = (/** @type {OwnFinding[]} */ group) =>
    group.flatMap(({ block }) => blocks.filter(({ index }) => index === block)).map(toSite).join(', ')
  // Figures differ between blocks.
  const groups = groupBy(findings, ({ detail, block }) => `${/\d of \d/.test(String(detail)) ? block : detail}`)
  return [
    ...[...groups.values()].map(group => `${group[0].behaviour} at ${toSites(group)}: ${group[0].detail}.`),
    ...[...groupBy(findings, ({ patch, places }) => patch || JSON.stringify(places)).values()]
      .flatMap(([finding]) => /** @type {Block[]} */ (finding.patch === ''
        ? [`${listing(finding.places.map(toPlace))}: ${finding.advice}`]
        : toTables(finding)))
  ]
}

/** @param {ProxyBlock} block */
const toSite = ({ host, port, tls, base, listen: { path } }) =>
  `${tls ? 'https' : 'http'}://${host}${path ? '' : `:${port}`}${base}${path ? ` at ${path}` : ''}`

/** Returns sentences about which app responds. @param {OwnRecord['apps']} apps */
const toApps = apps => [
  ...Object.entries(apps).map(([name, command]) => `"${command}" responds at ${name || 'each app'}.`),
  ...'' in apps ? [] : [`The app of the check responds at each ${Object.keys(apps).length > 0 ? 'other ' : ''}host.`]
]

/** @type {Report<OwnRecord>} */
export const ownKind = {
  answer (record) {
    const { rejected, blocks, cells, path, program, version } = record
    const tried = cells.filter(({ outcome }) => outcome !== 'not-offered').length
    const failed = cells.filter(({ outcome }) => outcome === 'fails').length
    const place = rejected && toPlace(rejected)
    const text = rejected
      ? `${path} cannot be tried: ${rejected.why}${place && ` (${place})`}.`
      : blocks.length === 0
        ? `No server block of ${path} passes requests on to an app that responds.`
        : `${failed === 0 ? 'None' : failed} of ${plural(tried, 'behaviour')} of ${path} ${
          failed === 1 ? 'fails' : 'fail'} with ${program} ${version}.`
    return { text, contrasts: [] }
  },

  sections (record) {
    const { apps, behaviours, cells, findings, blocks, skipped, supplied, notes } = record
    const { seconds, rejected, version, gixy } = record
    const byOutcome = (/** @type {string} */ wanted) => cells.filter(({ outcome }) => outcome === wanted)
    const toTitle = (/** @type {string} */ name) => behaviours.find(behaviour => behaviour.name === name)?.title
    return [
      ...[...groupBy(findings, ({ behaviour }) => behaviour)].map(([behaviour, group]) =>
        ({ id: behaviour, title: group[0].sees, blocks: toBlocks(group, blocks) })),
      {
        id: 'holds',
        title: 'What holds',
        blocks: [...new Set(byOutcome('holds').map(({ behaviour }) => `${behaviour}: ${toTitle(behaviour)}`))]
      },
      {
        id: 'not-offered',
        title: 'What it does not offer',
        blocks: [...groupBy(byOutcome('not-offered'), ({ detail }) => String(detail))].map(([detail, group]) =>
          `${[...new Set(group.map(({ behaviour }) => behaviour))].join(', ')}: ${detail}`)
      },
      {
        id: 'gixy',
        title: 'Findings of gixy',
        blocks: gixy.map(({ plugin, severity, summary }) => `${plugin} (${severity.toLowerCase()}): ${summary}`)
      },
      { id: 'skipped', title: 'Not tried', blocks: skipped.map(skip => `${toPlace(skip)}: ${skip.why}`) },
      {
        id: 'supplied',
        title: `Tried in ${Math.round(seconds)} s, in a private network and file system`,
        blocks: compact([
          blocks.length > 0 &&
            `Server blocks: ${blocks.map(block => `${toSite(block)} (${toPlace(block)})`).join(', ')}.`,
          supplied.length > 0 && [`Supplied: ${limited(supplied, MAX_LISTED).join('; ')}.`, ...toApps(apps)].join(' '),
          ...notes,
          rejected && /unknown directive|invalid parameter/.test(rejected.why) &&
            `nginx ${version} was tried. Another one may accept it: --release trixie.`
        ])
      }
    ]
  }
}

/** Returns the changed lines of each file. @param {OwnFinding} finding */
function toTables ({ patch, places }) {
  return parsePatch(patch).map(({ oldFileName, hunks }) => {
    const rows = hunks.flatMap(({ lines }) => lines).filter(line => /^[+-]/.test(line))
      .map(line => `${line[0]} ${line.slice(1).trim()}`)
    const title = listing(places.filter(({ file }) => `a/${file}` === oldFileName).map(toPlace))
    // A heading is not wrapped where its rows are shorter.
    const longest = Math.max(...[title, ...rows].map(text => text.length))
    const width = (/** @type {number} */ terminal) => Math.min(terminal, longest)
    return { rows, columns: [column(title, (/** @type {string} */ row) => row, { left: true, width })] }
  })
}

const SARIF_SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVEL = 'warning'

/**
 * Returns the findings as SARIF 2.1.0, for code scanning.
 * @param {OwnRecord} record
 * @param {string} version of hopbench
 */
export const toSarif = ({ findings, behaviours, rejected }, version) => {
  const rejection = rejected?.file ? [{ ...rejected, file: rejected.file }] : []
  const rules = [
    ...behaviours.filter(({ name }) => findings.some(({ behaviour }) => behaviour === name)),
    ...rejection.map(() => ({ name: 'cannot-be-tried', title: 'the program accepts the configuration' }))
  ]
  const toLocation = (/** @type {{ file: string, line: number }} */ { file, line }) => ({
    physicalLocation: {
      artifactLocation: { uri: encodeURI(file), uriBaseId: '%SRCROOT%' }, region: { startLine: Math.max(1, line) }
    }
  })
  return {
    $schema: SARIF_SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: {
        driver: {
          name: 'hopbench',
          version,
          rules: rules.map(({ name, title }) => ({ id: name, shortDescription: { text: title } }))
        }
      },
      results: [
        ...findings.map(({ behaviour, sees, detail, places }) => ({
          ruleId: behaviour,
          ruleIndex: rules.findIndex(({ name }) => name === behaviour),
          level: LEVEL,
          message: { text: `${sees} Seen: ${detail}.` },
          locations: places.slice(0, 1).map(toLocation),
          relatedLocations: places.slice(1).map(toLocation)
        })),
        ...rejection.map(({ why, file, line }) => ({
          ruleId: 'cannot-be-tried',
          ruleIndex: rules.length - 1,
          level: 'error',
          message: { text: `The configuration cannot be tried: ${why}.` },
          locations: [toLocation({ file, line })],
          relatedLocations: []
        }))
      ]
    }]
  }
}
