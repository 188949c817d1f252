/** The page of a static server: its failures with commands, the settings that mend them, and its badge (pure). */
import { toServerName } from '../../judge/check-failures.js'
import { sectionsPage } from '../../report/page/page.js'
import { contrastTable } from '../../report/tables/arms.js'
import { svgBadge } from '../../report/badge.js'
import { groupBy } from '../../shared/group-by.js'
import { IN_CLONE } from '../../shared/commands.js'
import { listing, NONE, plural } from '../../shared/format.js'
import { findChanges } from './compared.js'

/** @import { Badge } from '../../report/badge.js' */
/** @import { Block, CheckFailure, CheckRecord, Contrast, RunRecord, Section } from '../../types.js' */
/** @import { Site } from '../../report/page/page.js' */
/** @import { ServerRow } from './servers.js' */

/** @typedef {ServerRow & { check: CheckRecord }} Subject */

/**
 * Returns how many of the probes the server passes with recommended settings.
 * @param {ServerRow} row
 * @returns {Badge}
 */
export const toBadge = ({ probes, recommended }) => ({
  message: `${probes - recommended.length} of ${probes} probes`,
  color: recommended.some(({ safety }) => safety) ? 'red' : recommended.length > 0 ? 'yellow' : 'brightgreen'
})

/** Lists the failures in any form, those of safety first. @param {ServerRow} row */
const listFailures = ({ shipped, recommended }) =>
  [...shipped, ...recommended.filter(({ name }) => !shipped.some(failure => failure.name === name))]

/**
 * Prints whether recommended settings mend a failure.
 * @param {ServerRow} row
 * @param {string[]} names of probes
 */
function mendText ({ checked, hasBoth, recommended }, names) {
  const failing = names.filter(name => recommended.some(failure => failure.name === name))
  if (checked.about?.fixture) return 'Seen without further settings.'
  if (!hasBoth || failing.length === names.length) return 'No setting mends it.'
  const settings = Object.entries(listSettings(checked))
    .filter(([, mended]) => names.some(name => mended.includes(name))).map(([setting]) => setting)
  const by = settings.length > 0 ? listing(settings) : 'the recommended configuration'
  return failing.length > 0 ? `${by} mends ${names.length - failing.length} of them.` : `Mended by ${by}.`
}

/** Returns the probes that each recommended setting mends. @param {ServerRow['checked']} checked */
const listSettings = ({ about }) => about?.production && 'settings' in about.production ? about.production.settings : {}

/**
 * Describes failures of safety by their class, because details help an attacker until the project has mended them.
 * @param {Subject} subject
 * @returns {Block[]}
 */
function describeUnsafe (subject) {
  const unsafe = listFailures(subject).filter(({ safety }) => safety)
  const classes = groupBy(unsafe, ({ topic, died }) => died ? 'Requests that end the server' : topic)
  return [...classes].map(([name, failures]) =>
    `${name}: ${plural(failures.length, 'probe')}. ${mendText(subject, failures.map(({ name }) => name))}`)
}

/**
 * Describes a failure that is not of safety, with the command that shows it.
 * @param {Subject} subject
 * @param {CheckFailure} failure
 * @returns {Block}
 */
function describeFailure (subject, { name, title, rfc, saw }) {
  const text = `${name}${rfc ? ` (${rfc})` : ''}: ${title}. Seen: ${saw}. ${mendText(subject, [name])}`
  const command = findCommand(subject, name)
  return command === undefined ? text : { sentence: `${text} Repeat it`, label: 'Repeat', command: [command] }
}

/**
 * Finds the stored command that shows a failure.
 * @param {Subject} subject
 * @param {string} probe
 */
const findCommand = ({ check, word }, probe) => check.servers.filter(({ name }) => toServerName(name) === word)
  .flatMap(({ chains }) => chains.flatMap(({ results }) => results))
  .find(result => result.probe === probe && result.evidence)?.evidence?.command

/** Describes the outcomes that differ with the newest packages. @param {ServerRow} row */
function describeNewest ({ compared }) {
  if (!compared) return []
  const { pinned, newest } = compared
  const list = (/** @type {Record<string, string>} */ versions) =>
    listing(Object.entries(versions).map(words => words.join(' ')))
  if (!newest) return [`Checked with the newest releases of ${pinned.day}: ${list(pinned.versions)}.`]
  const { mended, broken } = findChanges(compared)
  return [
    `${list(newest.versions)} are the newest releases of ${newest.day}: without proxies they fail ` +
      `${newest.failed.length} of ${plural(newest.probes, 'probe')}, the pinned ones ${pinned.failed.length}.`,
    ...mended.length > 0 ? [`Mended: ${mended.join(', ')}.`] : [],
    ...broken.length > 0 ? [`Broken: ${broken.join(', ')}.`] : []
  ]
}

const COMMANDS = 'The commands need the server at the address $URL, with the files of the check in its folder $ROOT, ' +
  'in the process $PID.'
/** Columns of a contrast that a page without other contrasts does not need. */
const LEFT_OUT = ['level', 'blocks']

/** @param {NonNullable<ServerRow['measured']>} measured */
function toRatioTable ({ run, contrast }) {
  const { columns, ...table } = contrastTable({ ...run, contrasts: [contrast] })
  return { ...table, columns: columns.filter(({ page = '' }) => !LEFT_OUT.includes(page)) }
}

/**
 * Prints how many probes a server fails, and how many of them are of safety.
 * @param {CheckFailure[]} failures
 * @param {number} probes
 */
const countText = (failures, probes) => `${failures.length} of ${plural(probes, 'probe')}, ` +
  `${failures.filter(({ safety }) => safety).length || 'none'} of safety`

const kind = {
  /** @param {Subject} subject */
  answer: ({ name, shipped, recommended, probes, hasBoth, checked: { checkedAt, node } }) => ({
    text: `${name} fails ${countText(shipped, probes)}` +
      `${hasBoth ? `; with its recommended settings ${countText(recommended, probes)}` : ''}. ` +
      `Checked on ${checkedAt.slice(0, 10)}${node && ` under Node ${node}`}.`,
    contrasts: []
  }),

  /**
   * @param {Subject} subject
   * @returns {Section[]}
   */
  sections: subject => {
    const { name, word, checked, measured } = subject
    const { about } = checked
    const others = listFailures(subject).filter(({ safety }) => !safety)
    return [
      {
        id: 'safety',
        title: 'Failures of safety',
        blocks: [...describeUnsafe(subject), ...about?.vulnerable ? [`Known: ${about.vulnerable}.`] : []]
      },
      {
        id: 'failures',
        title: 'Other failures',
        blocks: [
          ...others.some(({ name }) => findCommand(subject, name)) ? [COMMANDS] : [],
          ...others.map(failure => describeFailure(subject, failure))
        ]
      },
      {
        id: 'throughput',
        title: 'Throughput against nginx',
        blocks: measured ? [toRatioTable(measured), `From the run ${measured.run.run}.`] : []
      },
      { id: 'newest', title: 'The newest release', blocks: describeNewest(subject) },
      {
        id: 'check',
        title: 'Check it',
        blocks: [{
          sentence: 'The details of each failure, from your machine',
          label: 'Check',
          command: about?.fixture ? ['npm run compared -- --frameworks', word] : [IN_CLONE, 'check', word]
        }]
      },
      {
        id: 'badge',
        title: 'Badge',
        blocks: [{
          sentence: 'For a page, with the address of this site',
          label: 'Badge',
          command: [`![hopbench](https://img.shields.io/endpoint?url=<site>/servers/${name}.json)`]
        }]
      }
    ]
  }
}

/**
 * @param {Subject} subject
 * @param {Site} site
 * @returns {string} HTML
 */
export const serverPage = (subject, site) => sectionsPage(subject, kind,
  subject.version === NONE ? subject.name : `${subject.name} ${subject.version}`,
  { ...site, badge: svgBadge(toBadge(subject)) })
