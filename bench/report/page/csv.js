/** Runs as CSV and Markdown, for spreadsheets and pull requests (pure).
 * @import { RunRecord, Sample } from '../../types.js' */
import { stringify } from 'csv-stringify/sync'
import { toAnswer } from '../answer.js'
import { cell, markdownTable } from '../markdown.js'
import { endSentence, machineSentence, noiseSentences, resolvesSentence, saturationSentence } from '../sentences.js'
import { pageTable } from '../table.js'
import { contrastTable, rateTable } from '../tables/arms.js'

/** A name that begins with "=" is no formula. */
export const CSV_OPTIONS = { header: true, escape_formulas: true }

/** A line for each trial. @param {Sample[]} samples @returns {string} */
export const samplesCsv = samples => stringify(samples.map(sample => ({
  arm: sample.arm,
  block: sample.block,
  startedAt: sample.startedAt,
  count: sample.requests,
  seconds: sample.seconds,
  perSecond: sample.rps,
  non2xx: sample.errors.non2xx,
  timeouts: sample.errors.timeouts,
  resets: sample.errors.resets,
  mismatches: sample.errors.mismatches,
  loadCpuSeconds: sample.cpuSeconds.load,
  proxyCpuSeconds: sample.cpuSeconds.proxy,
  serverCpuSeconds: sample.cpuSeconds.server,
  idleCpuSeconds: sample.cpuSeconds.idle,
  proxyMiB: sample.memoryMiB.proxy,
  serverMiB: sample.memoryMiB.server,
  upstreamConnectionsPerRequest: sample.proof.upstreamConnectionsPerRequest,
  cacheHitRatio: sample.proof.cacheHitRatio,
  socketType: sample.proof.socketType,
  invalid: sample.invalid?.code ?? ''
})), CSV_OPTIONS)

/** What users saw: a line for each second of each trial. @param {Sample[]} samples
 * @returns {string | null} null: there were no users */
export function usersCsv (samples) {
  const lines = samples.flatMap(({ arm, block, users = [] }) => users.map(point => ({ arm, block, ...point })))
  return lines.length === 0 ? null : stringify(lines, CSV_OPTIONS)
}

/** A line for each arm. @param {RunRecord} record @returns {string} */
export const tableCsv = ({ arms }) => stringify(arms.map(arm => ({
  arm: arm.name,
  topology: arm.word,
  trials: arm.trials,
  invalidTrials: arm.invalidTrials.length,
  perSecond: arm.rps?.median ?? '',
  low: arm.rps?.low ?? '',
  high: arm.rps?.high ?? '',
  ...Object.fromEntries(Object.entries(arm.errors)),
  loadMicros: arm.cpuMicrosPerRequest?.load ?? '',
  proxyMicros: arm.cpuMicrosPerRequest?.proxy ?? '',
  serverMicros: arm.cpuMicrosPerRequest?.server ?? '',
  proxyMiB: arm.memoryMiB?.proxy ?? '',
  serverMiB: arm.memoryMiB?.server ?? '',
  bytesPerResponse: arm.bytesPerResponse ?? '',
  limitedBy: arm.bound,
  invalid: arm.invalid?.code ?? ''
})), CSV_OPTIONS)

/** The tables as Markdown, for a pull request. @param {RunRecord} record @returns {string} */
export const markdown = record => [
  `**${cell(record.question)}**`,
  '',
  cell(toAnswer(record)),
  '',
  ...markdownTable(pageTable(rateTable(record))),
  '',
  ...record.contrasts.length > 0 ? [...markdownTable(pageTable(contrastTable(record))), ''] : [],
  ...saturationSentence(record).flatMap(sentence => [cell(sentence), '']),
  cell(`${record.experiment}: ${endSentence(record)} ${noiseSentences(record).join(' ')}`),
  '',
  `<sub>${cell([machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' '))}</sub>`,
  ''
].join('\n')
