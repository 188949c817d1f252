/** Tests the answer and the proofs of a run with a configuration of one's own. */
import t from '../../support/tap.js'
import { parse } from '../../../bench/plan/spec.js'
import { proofSection } from '../../../bench/report/proofs.js'
import throughput from '../../../bench/report/kinds/throughput.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../../support/record.js'

/** @import { Verdict } from '../../../bench/types.js' */

const YOURS = 'your configuration'
const config = { path: './nginx.conf', port: 80, apps: [3000], script: null }

/**
 * Returns a run of an app alone and behind a configuration.
 * @param {number | null} perRequest connections to the app
 * @param {Verdict} [verdict]
 */
function makeRun (perRequest, verdict = 'slower') {
  const { proxy, server } = parse('nginx:tcp+upstream_defaults/app')
  const topology = { proxy: proxy && { ...proxy, config }, server }
  const [alone, own] = [makeArm({ name: 'tcp' }), makeArm({ name: 'uds' })]
  const arms = [
    { ...alone, name: 'the app alone', topology: parse('app'), bytesPerResponse: 176 },
    {
      ...own,
      name: YOURS,
      topology,
      bytesPerResponse: 175,
      proof: { ...own.proof, upstreamConnectionsPerRequest: perRequest, socketType: /** @type {const} */ ('tcp') }
    }
  ]
  const ratio = verdict === 'slower' ? { ratio: 0.19, low: 0.17, high: 0.21 } : { ratio: 1, low: 0.99, high: 1.01 }
  const contrasts = [makeContrast({ arm: YOURS, baseline: 'the app alone', ...ratio, verdict })]
  const answer = {
    pairs: /** @type {[string, string][]} */ ([[YOURS, 'the app alone']]),
    fresh: { arm: YOURS, text: 'your configuration opens a connection for each request (nginx.conf:14)' }
  }
  return makeRecord({ arms, contrasts, plan: makePlan({ arms: [], contrasts: [], answer, twin: null }) })
}

t.test('names the line only where the arm is slower, and its connections prove the reason', async t => {
  const reason = ': your configuration opens a connection for each request (nginx.conf:14).'
  const loss = 'Your configuration serves 81 % less than the app alone (79 to 83 %)'
  t.equal(throughput.answer(makeRun(1)).text, `${loss}${reason}`)
  t.equal(throughput.answer(makeRun(0.01)).text, `${loss}.`)
  t.equal(throughput.answer(makeRun(null)).text, `${loss}.`)
  t.notOk(throughput.answer(makeRun(1, 'no-difference')).text.includes('nginx.conf'))
})

t.test('states connections and bytes of the configuration, and nothing of other arms', async t => {
  t.strictSame(proofSection(makeRun(1)).blocks,
    ['your configuration: 1.00 connections a request; socket: tcp; 175 bytes a request, 176 of the app alone.'])
  t.strictSame(proofSection(makeRecord()).blocks, [])
})
