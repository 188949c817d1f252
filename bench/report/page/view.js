/** Data of the page of a record for its template: sections in the order of the page. */
import { shellWord } from '../../errors.js'
import { claimMetrics, claimWords, conditionSentences } from '../claims.js'
import { isForeign, quoteData, stateCode } from '../../plan/foreign.js'
import { getServedNode } from '../../plan/runtimes.js'
import { withOwnCommand } from '../../shared/commands.js'
import { NONE, count, isNumber, listing, percent, plural } from '../../shared/format.js'
import { printCommand } from '../../plan/stored-command.js'
import { inOneLine, printAdvice, printClaimWhy, printWarning } from '../facts/facts.js'
import { listProofs } from '../proofs.js'
import { printBrief } from '../facts/warning-texts.js'
import { claimRows } from '../ratio-rows.js'
import { column, pageTable } from '../table.js'
import { draw } from '../charts/draw.js'
import { ratioChart } from '../charts/ratio-chart.js'
import { toPageSection, withCells } from './section.js'
import { checkFailures, toForms } from '../../judge/check-failures.js'
import { computeTurnSeconds } from '../../plan/targets.js'
import { describeProcessor, describeSpeed } from '../../shared/machine-words.js'
import { getProgramKey } from '../../shared/releases.js'
import { findMix } from '../../plan/request-mix.js'

/** @import { ArmResult, CheckRecord, ClaimResult, Kind, OptionValue, RunRecord, Sample } from '../../types.js' */
/** @import { Section, Table } from '../../types.js' */

/** Length of a warning in one line. */
const BRIEF_LETTERS = 110

/**
 * @param {object} stored
 * @param {RunRecord} stored.record
 * @param {Kind} stored.kind
 * @param {Sample[]} stored.samples
 * @param {{ name: string, file: string, text: string }[]} stored.configs the recommended first, then the fastest
 * @param {CheckRecord | null} stored.check
 */
export function toView ({ record, kind, samples, configs, check }) {
  const ratioRows = claimRows(record)
  const [first, ...rest] = [...kind.sections(record, { samples }), ...checkSection(record, check)]
  // The recommendation is on one screen with the answer and its chart.
  const sections = [first, {
    id: 'recommendation',
    title: 'Recommendation',
    blocks: record.recommendation.map(advice => inOneLine(printAdvice(advice)))
  }, ...rest]
  return {
    title: record.experiment,
    question: record.question,
    answer: kind.answer(record).text,
    how: kind.end(record),
    facts: factsSentence(record),
    command: isForeign(record.plan) ? null : printCommand(record.plan.command),
    sections: sections.map(toPageSection).filter(({ parts }) => parts.length > 0),
    chains: record.arms.filter(({ name, ladder }) => name !== record.plan.twin?.arm && !ladder?.step)
      .map(arm => toChain(arm, record)),
    claims: record.claims.map(claim => claimView(claim, record)),
    claimConditions: conditionSentences(record),
    claimsChart: ratioRows.length > 0 ? draw(ratioChart(ratioRows, null), 'Published and measured ratios') : null,
    warnings: record.warnings.map(warning => {
      const { text, remedy } = printWarning(warning)
      return { text, remedy: withOwnCommand(inOneLine(remedy)), brief: printBrief(warning, BRIEF_LETTERS) }
    }),
    next: kind.next(record, shellWord(record.run)).map(({ sentence, command }) =>
      ({ sentence, command: withOwnCommand(command.join(' ')) })),
    environment: withCells(pageTable(environmentTable(record))),
    configs
  }
}

const SIGNS = { confirmed: '✓', refuted: '✕', inconclusive: '?', 'not-testable': '–' }

/**
 * @param {ClaimResult} claim
 * @param {RunRecord} record
 */
const claimView = (claim, record) => ({
  id: claim.id,
  status: claim.status,
  words: `${SIGNS[claim.status]} ${claimWords(claim, record)}`,
  statement: claim.statement,
  figures: claimMetrics(claim, record),
  why: printClaimWhy(claim),
  source: `${claim.source.title}, ${claim.source.author} ${claim.source.year}, ${claim.source.machine}`
})

/**
 * Returns the apps by command, by their name in topologies.
 * @param {RunRecord} record
 */
const findApps = ({ arms }) => new Map(arms.flatMap(({ topology: { server } }) =>
  server?.command ? [([server.name, server.command])] : []))

/**
 * Names what was served: apps with their commands, or hopbench's own servers.
 * @param {RunRecord} record
 */
function appText (record) {
  if (isForeign(record.plan)) return statementText(record.plan)
  const apps = [...findApps(record)].map(([name, { run }]) => `${name}: ${run}`)
  if (apps.length > 0) return `App ${listing(apps)}`
  const servers = new Set(record.arms.flatMap(({ topology: { server } }) => server?.name ?? []))
  return servers.size === 0 ? 'No app' : `${servers.size > 1 ? 'Servers' : 'Server'} ${listing([...servers])}`
}

/**
 * Prints what a foreign run states about its start, as data.
 * @param {RunRecord['plan']} plan
 */
function statementText ({ arms, root, command }) {
  const statement = stateCode(arms, root)
  return `This account has not made the run, which states the command ${quoteData(printCommand(command))}` +
    `${statement === null ? '' : ` and ${statement}`}`
}

/** @param {RunRecord} record */
function factsSentence (record) {
  const { startedAt, environment } = record
  const { cpu } = environment
  const day = startedAt.slice(0, 16).replace('T', ' ')
  return `${day} UTC. ${cpu.model}, ${plural(cpu.cores, 'core')}, Node ${getServedNode(record)}. ${appText(record)}.`
}

/**
 * @param {RunRecord} record
 * @param {CheckRecord | null} check
 * @returns {Section[]} empty: no server of the run has been checked
 */
function checkSection ({ arms }, check) {
  if (!check) return []
  const names = [...new Set(arms.map(({ topology }) => topology.server?.name ?? 'files'))]
  const checked = names.flatMap(name => Object.values(toForms(name))).flatMap(name => {
    const failures = checkFailures(check, name)
    return failures ? [{ name, failures }] : []
  })
  if (checked.length === 0) return []
  const all = checked.flatMap(({ name: server, failures }) => failures.map(failure => ({ ...failure, server })))
  const probes = check.probes.filter(({ name }) => all.some(failure => failure.name === name))
  return [{
    id: 'check',
    title: 'Failures of the servers',
    blocks: [
      {
        rows: probes,
        columns: [
          column('probe', ({ name, title, rfc, safety }) => {
            const isUnsafe = safety || all.some(failure => failure.name === name && failure.died)
            return `${isUnsafe ? 'SAFETY ' : ''}${title}${rfc ? ` (${rfc})` : ''}`
          }, { left: true }),
          ...checked.map(({ name: server, failures }) => column(server, ({ name }) => {
            const failure = failures.find(failure => failure.name === name)
            return failure ? failure.died ? '✕ died' : '✕ fails' : '✓'
          }, { left: true }))
        ]
      },
      `${count(check.probes.length - probes.length)} of ${count(check.probes.length)} probes are passed by all of ` +
      'them and are not shown.',
      ...all.map(({ server, title, saw }) => `${server}: ${title}: ${saw}`)
    ]
  }]
}

/** Names the process that was busiest when the run began. @param {RunRecord['environment']['busy']} busy */
const nameBusiest = ({ process }) => process ? ` (${process.name} ${percent(process.share)})` : ''

/**
 * Prints the length of a turn of an arm, and the share of it that cold caches take.
 *
 * @param {number} lossMs
 * @param {RunRecord['environment']['cores']} cores
 */
function describeTurns (lossMs, { load, served }) {
  const ms = computeTurnSeconds(lossMs, load.some(core => served.includes(core)) ? 'shared' : 'split') * 1000
  return `${count(Math.round(ms))} ms, of which cold caches take ${percent(Math.max(0, lossMs) / ms)}`
}

/**
 * @param {RunRecord} record
 * @returns {Table<string[]>} rows: name and value
 */
export function environmentTable ({ environment, tools, timing, ...record }) {
  const { seed, run, startedAt, endedAt } = record
  const { cpu, calibration, turnLossMs, cores, memoryMiB, platform, kernel, node } = environment
  const { lab, hosts, limits, busy, sysctl } = environment
  const list = (/** @type {number[]} */ numbers) => numbers.join(', ') || NONE
  return {
    columns: [
      column({ page: 'property' }, ([name]) => name, { left: true }),
      column({ page: 'value' }, ([, value]) => value, { left: true })
    ],
    rows: [
      ['run', run],
      ['began, ended (UTC)', `${startedAt}, ${endedAt ?? NONE}`],
      ['processor', `${describeProcessor(cpu)}, ${cpu.cores} cores${cpu.virtual ? ', virtual' : ''}`],
      ...calibration ? [['speed of one core', describeSpeed(calibration)]] : [],
      ...isNumber(turnLossMs) ? [['turns', describeTurns(turnLossMs, cores)]] : [],
      ['governor', cpu.governor ?? 'not reported by this system'],
      ...cpu.idle === undefined ? [] : [['idle states', cpu.idle ?? 'not reported by this system']],
      ['cores', `load ${list(cores.load)}; served ${list(cores.served)}`],
      ['memory', `${count(memoryMiB)} MiB`],
      ['system', `${platform} ${kernel}`],
      ['Node', node],
      ...Object.entries(tools).map(([name, version]) => [name === 'node' ? 'Node of the servers' : name, version]),
      ['network',
        lab.network === 'namespaces'
          ? 'a private namespace for each topology' +
            (lab.congestionControl ? `, TCP congestion control ${lab.congestionControl}` : '')
          : `the host's loopback${lab.why ? `: ${lab.why}` : ''}`],
      ...(hosts?.load ?? []).map(({ name, cpu, kernel }) =>
        ['load made on', `${name}: ${cpu.model}, ${cpu.cores} cores, ${kernel}`]),
      ['open files', count(limits.openFiles)],
      ['other load',
        `${busy.busyShare == null ? '' : `${percent(busy.busyShare)} of the cores at work${nameBusiest(busy)}, `}` +
        `load average ${busy.loadAverage.toFixed(2)} when it began, ${percent(busy.stealShare)} of CPU time taken by ` +
        'other guests'],
      ...timing.stealShare === undefined
        ? []
        : [['other load of the run', `${percent(timing.stealShare)} of CPU time taken by other guests` +
          (timing.runQueue === undefined ? '' : `, ${timing.runQueue.toFixed(1)} threads running between blocks`)]],
      ...Object.entries(sysctl).map(([name, value]) => [name, value]),
      ['seed', String(seed)]
    ]
  }
}

/** @type {Record<string, string>} */
const TRANSPORTS = {
  tcp: 'TCP, a new connection for each request',
  keepalive: 'TCP, pooled connections',
  uds: 'Unix socket, a new connection for each request',
  'uds-keepalive': 'Unix socket, pooled connections'
}

/**
 * @param {ArmResult} arm
 * @param {Pick<RunRecord, 'tools'>} record
 * @returns {{ name: string, spec: string, hops: { title: string, details: string[], edge: { title: string, proofs:
 * string[] } | null }[] }} edge: connection from the hop before; null: the client
 */
export function toChain (arm, { tools }) {
  const { topology: { proxy, server }, load } = arm
  const { engine, connections, path } = load
  const mix = findMix(load)
  const clientEdge = toClientEdge(arm)
  return {
    name: arm.name,
    spec: arm.spec,
    hops: [
      {
        title: withVersion(engine, tools),
        details: [`${count(connections)} connections`, mix ? `${count(mix.requests.length)} different requests` : path],
        edge: null
      },
      ...proxy
        ? [{ title: withVersion(getProgramKey(proxy), tools), details: toDetails(proxy), edge: clientEdge }]
        : [],
      ...server
        ? [{
            title: server.name,
            details: [processText(server), ...optionTexts(server.options)],
            edge: proxy ? { title: TRANSPORTS[proxy.transport ?? ''] ?? NONE, proofs: listProofs(arm) } : clientEdge
          }]
        : []
    ]
  }
}

/** @param {ArmResult} arm */
const toClientEdge = ({ load, topology: { lab }, linkShare }) => ({
  title: load.fresh ? 'a connection for each request' : 'connections are kept',
  proofs: [
    ...Object.entries(lab?.sysctl ?? {}).map(([name, value]) => `${name}=${value}`),
    ...lab?.net ? ['a link of 1 Gbit/s'] : [],
    ...isNumber(linkShare) ? [`${percent(linkShare)} of the link used`] : []
  ]
})

/** @type {(name: string, tools: Record<string, string>) => string} */
const withVersion = (name, tools) => tools[name] ? `${name} ${tools[name]}` : name

/** @param {NonNullable<ArmResult['topology']['proxy']>} proxy */
const toDetails = ({ config, options }) => config ? [config.path] : optionTexts(options)

/** @type {(options: Record<string, OptionValue>) => string[]} */
const optionTexts = options =>
  Object.entries(options).map(([name, value]) => value === true ? name : `${name}=${value}`)

/** @param {{ manager: string, instances: number | 'max' }} server */
function processText ({ manager, instances }) {
  if (manager === 'node' && instances === 1) return 'one process'
  return `${manager}, ${instances === 'max' ? 'a process for each core' : `${instances} processes`}`
}
